/** How the data of a link grows with the clock (contract §7.2, §7.3). */
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { createBankSimulation } from '../../../src/bank-simulation/index.ts';
import { createClient } from '../../../src/client/client.ts';
import type { AnswerOf } from '../../../src/contract/registry.ts';
import { bankOf } from '../../support/bank-links.ts';
import { advance } from '../../support/runs.ts';
import { pathsBelow, startInProcess } from '../../support/in-process-daemon.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';
import { NOON, startService, type TestService } from '../../support/service.ts';
import {
  aLink as aLinkOf,
  DAY,
  entriesOf,
  everythingOf,
  factsOf,
  factsOfLink,
  factsOfTransaction,
  ofMoney,
  type Bank,
} from './a-bank.ts';
import '../../support/tier-all.ts';
import { test } from '../../support/test-with.ts';

const REFRESHED = ['accounts', 'transactions', 'investments'] as const;
/** Personas with histories of at most half a year. Longer histories make no difference to a link. */
const PERSONA_NAMES = ['thin', 'investor', 'business', 'overdrawn', 'student'];
/** This persona has something new on every business day, and something pending most of the time. */
const USUAL = 'business';

const aLink = (service: TestService, persona = USUAL) => aLinkOf(service, { persona });

/** Returns the hundredths of a text with two decimal places. */
const cents = (text: string) => BigInt(/^-?\d+\.\d{2}$/.test(text) ? text.replace('.', '') : 'not money');

type Ledger = ReadonlyMap<string, bigint>;

/** Returns what each account holds or owes; for an investment account its cash. */
async function standing(bank: Bank, link: string): Promise<Ledger> {
  return new Map(
    (await bank.accounts(link)).map(({ id, account_type, balances }) => {
      const isInvestment = account_type.startsWith('investment.');
      return [id, cents((isInvestment ? balances?.available : balances?.current) ?? 'none')];
    }),
  );
}

/**
 * Returns the sum of all posted transactions of each account: money in less money out, and the reverse for a liability.
 */
async function posted(bank: Bank, link: string): Promise<Ledger> {
  const types = new Map((await bank.accounts(link)).map(({ id, account_type }) => [id, account_type]));
  const sums = new Map([...types.keys()].map((id) => [id, 0n]));
  const add = (id: string, amount: bigint) => sums.set(id, (sums.get(id) ?? 0n) + amount);
  for (const { account_id, type, amount, pending } of await bank.allTransactions(link)) {
    const isOwed = types.get(account_id)?.startsWith('liability.') === true;
    const isMore = isOwed ? type === 'debit' : type === 'credit';
    if (!pending) add(account_id, isMore ? cents(amount) : -cents(amount));
  }
  for (const { account_id, type, amount, fees } of await investments(bank, link)) {
    const isLess = type === 'buy' || type === 'fee';
    add(account_id, (isLess ? -cents(amount) : cents(amount)) - cents(fees ?? '0.00'));
  }
  return sums;
}

/** No link of these tests has more than a page of them. */
async function investments(bank: Bank, link: string) {
  const key = 'GET /bank_links/{link_id}/investments/transactions';
  const { body } = await bank.request(key, link, { query: { size: 100 } });
  const { investment_transactions: found, total } = body as AnswerOf<typeof key>;
  expect(found).toHaveLength(total);
  return found;
}

/** Returns the balance of each account before its first transaction, which never changes. */
async function openings(bank: Bank, link: string): Promise<Ledger> {
  const [now, sums] = [await standing(bank, link), await posted(bank, link)];
  return new Map([...now].map(([id, amount]) => [id, amount - (sums.get(id) ?? 0n)]));
}

test('clock: midnight by midnight a link returns all that its bank knows, and nothing of the day that it is', async (service) => {
  const { bank, link } = await aLink(service);
  const atFirst = await factsOfLink(bank, link.id);
  expect(atFirst).toEqual(entriesOf(link, USUAL, -1).filter(ofMoney).map(factsOf).sort());

  for (let days = 0; days < 5; days++) {
    await advance(service, '1d');
    const known = entriesOf(link, USUAL, days).filter(ofMoney);
    expect(await factsOfLink(bank, link.id)).toEqual(known.map(factsOf).sort());
    const waiting = known.filter(({ posts_at }) => posts_at !== null && posts_at > NOON + (days + 1) * DAY);
    const pending = (await bank.allTransactions(link.id)).filter((each) => each.pending);
    expect(pending.map(factsOfTransaction).sort()).toEqual(waiting.map(factsOf).sort());
  }

  expect((await factsOfLink(bank, link.id)).length).toBeGreaterThan(atFirst.length);
});

test('clock: a link in error stays as it is at midnight, and once it is connected again it catches up', async (service) => {
  await using twin = await startService();
  const { bank, link } = await aLink(service);
  const other = await aLink(twin);
  expect(other.link).toEqual(link);
  for (const each of [service, twin]) await advance(each, '30h');
  const before = await everythingOf(bank, link.id);
  await bank.reset(link.id);

  expect(await advance(service, '4d')).toBe(0);
  await advance(twin, '4d');

  expect(await everythingOf(bank, link.id)).toBe(before);
  expect(await everythingOf(other.bank, link.id)).not.toBe(before);
  await bank.link(link.fp_id, { link_id: link.id });
  expect(await advance(service, '1d')).toBe(1);
  await advance(twin, '1d');
  expect(await everythingOf(bank, link.id)).toBe(await everythingOf(other.bank, link.id));
});

test.eachWith(PERSONA_NAMES)(
  'clock: one jump, many steps and a long pause give the same bytes, %s',
  async (stepping, persona) => {
    await using jumping = await startService();
    await using resting = await startService();
    const [one, two, three] = [
      await aLink(stepping, persona),
      await aLink(jumping, persona),
      await aLink(resting, persona),
    ];
    for (let step = 0; step < 9; step++) {
      await one.bank.refresh(one.link.id, [...REFRESHED]);
      await advance(stepping, '13h');
    }
    await advance(stepping, '3h');
    await advance(jumping, '5d');
    // Nobody started this daemon for five days. Work that fell due is done when the daemon next looks.
    resting.clock.advance(5 * DAY);
    await advance(resting, '0s');

    const all = await everythingOf(one.bank, one.link.id);
    const expected = all.replaceAll(/"balance_date":"[^"]*"/g, '');
    for (const { bank, link } of [two, three]) {
      const text = await everythingOf(bank, link.id);
      expect(text.replaceAll(/"balance_date":"[^"]*"/g, '')).toBe(expected);
    }
  },
);

test('clock: moved back, it repeats and removes nothing, and continues from there', async (service) => {
  await using twin = await startService();
  const { bank, link } = await aLink(service);
  const other = await aLink(twin);
  await advance(service, '5d');
  await bank.refresh(link.id, ['transactions']);
  await advance(service, '2s');
  const before = await factsOfLink(bank, link.id);
  const opening = await openings(bank, link.id);

  await service.call('PUT /_kyclone/clock', { body: { action: 'offset', by: '-3d' } });
  await bank.refresh(link.id, [...REFRESHED]);
  await advance(service, '36h');
  expect((await bank.get(link.id)).last_synced_at).toBe(new Date(NOON + 3.5 * DAY).toISOString());

  expect(await factsOfLink(bank, link.id)).toEqual(before);
  expect(await openings(bank, link.id)).toEqual(opening);
  await service.call('PUT /_kyclone/clock', {
    body: { action: 'set', at: new Date(NOON + 9 * DAY).toISOString() },
  });
  await advance(twin, '9d');
  expect(await everythingOf(bank, link.id)).toBe(await everythingOf(other.bank, link.id));
});

test('clock: after ten years a bank has nothing new, and no midnight is waited for', async (service) => {
  const { bank, link } = await aLink(service, 'thin');
  await bank.reset(link.id);
  await service.call('PUT /_kyclone/clock', { body: { action: 'freeze', at: '9998-01-01T12:00:00Z' } });

  await bank.link(link.fp_id, { link_id: link.id });

  const known = entriesOf(link, 'thin', 3_653).filter(ofMoney);
  expect(await factsOfLink(bank, link.id)).toEqual(known.map(factsOf).sort());
  expect((await bank.allTransactions(link.id)).some(({ pending }) => pending)).toBe(false);
  await bank.refresh(link.id, ['transactions']);
  expect(await advance(service, '365d')).toBe(1);
  expect((await bank.transactions(link.id)).total).toBe(known.length);
  expect((await bank.get(link.id)).last_synced_at).toBe('9998-01-01T12:00:02.000Z');
});

test('clock: transactions pending at the end of the ten years post days later', async (service) => {
  const { bank, link } = await aLink(service, 'overdrawn');
  await bank.reset(link.id);
  await advance(service, '3652d');
  await bank.link(link.fp_id, { link_id: link.id });

  expect(await advance(service, '30d')).toBe(5);

  const known = entriesOf(link, 'overdrawn', 3_653).filter(ofMoney);
  const transactions = await bank.allTransactions(link.id);
  expect(transactions.map(factsOfTransaction).sort()).toEqual(known.map(factsOf).sort());
  expect(transactions.filter(({ pending }) => pending)).toEqual([]);
});

test('bank_links: after any operations, balances are the opening ones plus posted transactions', async (service) => {
  const bank = bankOf(service);
  const user = await service.user({});
  const step = fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), hours: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ kind: fc.constantFrom('refresh' as const, 'reset' as const, 'reconnect' as const) }),
    fc.record({ kind: fc.constant('back' as const), hours: fc.integer({ min: 1, max: 30 }) }),
  );
  const steps = fc.array(step, { minLength: 3, maxLength: 7 });
  const persona = fc.constantFrom(...PERSONA_NAMES);
  await fc.assert(
    fc.asyncProperty(persona, steps, async (name, sequence) => {
      const link = await bank.link(user, { persona: name });
      const opening = await openings(bank, link.id);
      const anchor = Math.floor(Date.parse(link.created_at) / DAY);
      const { accounts } = createBankSimulation(name, { seed: link.id, anchor });
      expect([...opening.values()]).toEqual(accounts.map((account) => account.opening / 100n));
      for (const each of sequence) {
        if (each.kind === 'advance') await advance(service, `${each.hours}h`);
        else if (each.kind === 'back') {
          await service.call('PUT /_kyclone/clock', { body: { action: 'offset', by: `-${each.hours}h` } });
        } else if (each.kind === 'reset') await bank.reset(link.id);
        else if (each.kind === 'reconnect') await bank.link(user, { link_id: link.id });
        else {
          const body = { products: [...REFRESHED] };
          const reply = await bank.request('POST /bank_links/{link_id}/data_refresh', link.id, { body });
          expect([200, 409]).toContain(reply.status);
          await advance(service, '2s');
        }
        expect(await openings(bank, link.id)).toEqual(opening);
      }
      const ids = (await bank.allTransactions(link.id)).map(({ transaction_id }) => transaction_id);
      expect(new Set(ids).size).toBe(ids.length);
      await bank.request('DELETE /bank_links/{link_id}', link.id);
    }),
    { numRuns: 6 },
  );
});

test('restart: requested refreshes and future midnights survive a restart of the daemon', async () => {
  const paths = pathsBelow(tempDir());
  async function start() {
    const { daemon, controlToken, key } = await startInProcess(paths, { isEphemeral: false });
    onTestFinished(() => daemon.stop());
    const { call } = createClient({ baseUrl: daemon.instance.url, controlToken, apiKey: key });
    return { call, stop: () => daemon.stop() };
  }
  const first = await start();
  await first.call('PUT /_kyclone/clock', { body: { action: 'freeze', at: '2026-03-01T12:00:00Z' } });
  const { id: fp_id } = await first.call('POST /users', { body: {} });
  const intent = await first.call('POST /_kyclone/bank_link_intents', { body: { fp_id } });
  const link = await first.call('POST /bank_links', { body: { intent_token: intent.intent_token } });
  const params = { link_id: link.id };
  await first.call('POST /bank_links/{link_id}/data_refresh', { params, body: ['identity'] });
  await first.stop();

  const second = await start();
  expect(await second.call('GET /_kyclone/info')).toMatchObject({ pending_work: 1 });
  await second.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '2s' } });
  expect(await second.call('GET /bank_links/{link_id}', { params })).toMatchObject({
    products: { identity: { refreshed_at: '2026-03-01T12:00:02.000Z' } },
  });
  await second.stop();

  const third = await start();
  await third.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '12h' } });
  expect(await third.call('GET /bank_links/{link_id}', { params })).toMatchObject({
    last_synced_at: '2026-03-02T00:00:00.000Z',
  });
});
