import { describe, expect, test } from 'vitest';
import { dayOf } from '../../src/kernel/time/civil-date.ts';
import { DAY_MS } from '../../src/kernel/numbers/units.ts';
import { createLinkRecords } from '../../src/nouns/bank-links/service/records.ts';
import { createBankSimulation } from '../../src/bank-simulation/index.ts';
import type { SimulatedEntry } from '../../src/bank-simulation/simulation.ts';
import { createEntityRecords } from '../../src/vault/entity-records.ts';
import { bankEntries, forEachPersona, live, SMALL_PERSONAS } from './a-simulation.ts';

const bytesOf = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));

/** ISO 8601 with an offset, to the second. */
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;

describe('the same source, the same bytes', () => {
  test('bank_links: the same seed gives the same accounts, transactions, state and portfolio', () => {
    forEachPersona((persona, source) => {
      const [one, other] = [live(persona, source), live(persona, source)].map(({ world, entries, state }) =>
        bytesOf([world.accounts, entries, state, world.portfolio(state)]),
      );
      expect(one).toBe(other);
    });
  });

  test('bank_links: another seed gives other numbers, transactions and trades', () => {
    const [one, other] = ['one', 'two'].map((seed) => live('investor', { seed }));
    const [numbers, others] = [one, other].map((life) => life?.world.accounts[0]?.numbers);
    expect(numbers?.account).not.toBe(others?.account);
    expect(numbers?.routing).not.toBe(others?.routing);
    for (const kind of ['debit', 'buy']) {
      const entries = [one, other].map((life) => life?.entries.filter(({ type }) => type === kind));
      expect(bytesOf(entries[0])).not.toBe(bytesOf(entries[1]));
    }
  });

  test('bank_links: a day is the same on every path to it, and its arguments are unchanged', () => {
    forEachPersona((persona, source) => {
      const straight = live(persona, { ...source, daysAfter: 40 });
      // A new simulation continues after the anchor, and each of the days is computed twice.
      const before = live(persona, source);
      let { state } = before;
      const later: SimulatedEntry[] = [];
      while (state.through < straight.state.through) {
        const given = bytesOf(state);
        const anew = createBankSimulation(persona, source);
        anew.next(state);
        const next = anew.next(state);
        expect(bytesOf(state)).toBe(given);
        later.push(...next.entries);
        state = next.state;
      }
      expect(bytesOf([...before.entries, ...later])).toBe(bytesOf(straight.entries));
      expect(bytesOf(state)).toBe(bytesOf(straight.state));
    });
  });

  test('bank_links: a state is equal after sealing and opening', () => {
    const records = createLinkRecords(createEntityRecords(new Uint8Array(32), 'fp_id_a'), 'link_a');
    for (const persona of SMALL_PERSONAS) {
      const { world, state } = live(persona);
      const record = { state, stored_until: 0, portfolio: world.portfolio(state) };
      expect(records.openWorld(records.world(record))).toStrictEqual(record);
    }
  });
});

describe('moments and keys', () => {
  test('bank_links: keys are unique, moments in order and within their day, and datetimes name them', () => {
    forEachPersona((persona, source) => {
      const world = createBankSimulation(persona, source);
      const keys = new Set<string>();
      const wrong: string[] = [];
      let count = 0;
      for (let state = world.begin(); state.through < source.anchor + 40;) {
        const next = world.next(state);
        const moments = next.entries.map(({ at }) => at);
        expect(moments).toEqual([...moments].sort((one, other) => one - other));
        expect(moments.filter((at) => dayOf(at) !== state.through + 1)).toEqual([]);
        for (const { datetime, at } of next.entries) {
          if (datetime !== null && (!LOCAL_TIME.test(datetime) || Date.parse(datetime) !== at))
            wrong.push(datetime);
        }
        for (const { ledger, key } of next.entries) keys.add(`${ledger} ${key}`);
        count += next.entries.length;
        state = next.state;
      }
      expect(keys.size).toBe(count);
      expect(wrong).toEqual([]);
    });
  });

  test('bank_links: pending debits post at a midnight within three days, and there are few of them a day', () => {
    forEachPersona((persona, source) => {
      const entries = bankEntries(live(persona, source));
      expect(entries.filter(({ amount }) => amount <= 0n)).toEqual([]);
      const pending = entries.flatMap(({ at, posts_at, type }) =>
        posts_at === null ? [] : [{ day: dayOf(at), posts_at, type }],
      );
      const wrong = pending.filter(
        ({ day, posts_at, type }) => type !== 'debit' || ![1, 2, 3].includes(posts_at / DAY_MS - day),
      );
      expect(wrong).toEqual([]);
      const perDay = new Map<number, number>();
      for (const { day } of pending) perDay.set(day, (perDay.get(day) ?? 0) + 1);
      expect(Math.max(0, ...perDay.values())).toBeLessThanOrEqual(8);
    });
  });

  test('bank_links: default has something pending at the anchor, for nearly every seed', () => {
    const lives = Array.from({ length: 10 }, (_, i) => live('default', { seed: `${i}`, anchor: 20_600 + i }));
    const pending = lives.map((life) =>
      bankEntries(life).some(({ posts_at }) => posts_at !== null && dayOf(posts_at) > life.anchor),
    );
    expect(pending.filter(Boolean).length).toBeGreaterThanOrEqual(8);
  });
});
