/** An intent becomes a link, completely or not at all, and reconnects one (contract §7.2, §7.3). */
import { setImmediate } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { BANK_PRODUCTS } from '../../../src/nouns/bank-links/facts.ts';
import { decimalText } from '../../../src/kernel/numbers/decimal.ts';
import { dayOf } from '../../../src/kernel/time/civil-date.ts';
import { completeDays, loadBankSimulations } from '../../../src/nouns/bank-links/service/simulations.ts';
import { institutionId } from '../../../src/nouns/bank-links/service/link-view.ts';
import { bankOf } from '../../support/bank-links.ts';
import { NOON, failureOf, startService, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { aLink, bankValues, DAY, idMade, worldOf } from './a-bank.ts';

const LINK = 'POST /bank_links';
const MINUTE = 60_000;
const noon = new Date(NOON).toISOString();

const count = ({ database }: TestService, table: string) =>
  database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;

const PERSONAS = (await loadBankSimulations()).personas
  .map(({ name }) => name)
  .filter((name) => name !== 'large');

describe('a new link', () => {
  test('bank_links: is answered with its members, and read so', async (service) => {
    const { bank, fp_id, link } = await aLink(service, {
      institution: '1st Exämple – Bank & Co.',
      external_id: 'their own id',
    });

    const times = { refreshed_at: noon, last_attempted_at: noon };
    expect(link).toEqual({
      id: expect.stringMatching(/^link_[0-9A-Za-z]{22}$/) as string,
      fp_id,
      external_id: 'their own id',
      created_at: noon,
      state: 'connected',
      error_code: null,
      institution_id: '1st-example-bank-co',
      institution_name: '1st Exämple – Bank & Co.',
      products: { accounts: times, account_numbers: times, identity: times, transactions: times },
      last_synced_at: noon,
    });
    expect(await bank.get(link.id)).toEqual(link);
    const { external_id } = link;
    expect(await bank.link(fp_id, { external_id: 'their own id' })).toMatchObject({ external_id });
  });

  test('bank_links: a bank that is down gives a link in error, without accounts', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'broken' });

    expect(link).toMatchObject({ state: 'error', error_code: 'institution_error', last_synced_at: null });
    expect(Object.values(link.products)).toEqual(
      Object.keys(link.products).map(() => ({ refreshed_at: null, last_attempted_at: noon })),
    );
    expect(Object.keys(link.products).sort()).toEqual(
      BANK_PRODUCTS.filter((name) => name !== 'investments').sort(),
    );
    expect(await bank.accounts(link.id)).toEqual([]);
    expect(await bank.transactions(link.id)).toMatchObject({ total: 0, transactions: [] });
    expect(await bankValues(service, fp_id)).toEqual([]);
  });

  test.eachWith(PERSONAS)(
    'bank_links: persona %s has what its bank knows of it',
    async (service, persona) => {
      const { bank, fp_id, link } = await aLink(service, { persona });

      const { accounts, entries } = await worldOf(link, { persona });
      const answered = await bank.accounts(link.id);
      const same = ['name', 'nickname', 'mask', 'closed', 'account_type'] as const;
      expect(answered.map((account) => same.map((member) => account[member]))).toEqual(
        accounts.map((account) => same.map((member) => account[member])),
      );
      expect(answered.map(({ balances }) => [balances?.currency, balances?.limit])).toEqual(
        accounts.map(({ currency, limit }) => [currency, limit === null ? null : decimalText(limit)]),
      );
      expect(answered.map(({ link_id, raw_provider_data }) => [link_id, raw_provider_data])).toEqual(
        accounts.map(({ key }) => [link.id, { persona, account: key }]),
      );
      const bankEntries = entries.filter(({ ledger }) => ledger === 'bank');
      expect((await bank.transactions(link.id, { size: 1 })).total).toBe(bankEntries.length);
      const isInvestor = accounts.some(({ account_type }) => account_type.startsWith('investment.'));
      expect('investments' in link.products).toBe(isInvestor);
      const vaulted = accounts.filter(({ account_type }) =>
        ['depository.checking', 'depository.savings'].includes(account_type),
      );
      expect((await bankValues(service, fp_id)).filter((name) => name.endsWith('.name'))).toHaveLength(
        vaulted.length,
      );
      expect(JSON.stringify(service.database.prepare('SELECT * FROM bank_accounts').all())).not.toContain(
        accounts[0]?.name ?? 'no account',
      );
    },
  );
});

describe('account numbers', () => {
  test('bank_links: those of checking and savings accounts enter the vault of the user in one version', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'default' });

    const accounts = (await bank.accounts(link.id)).filter(({ account_type }) =>
      ['depository.checking', 'depository.savings'].includes(account_type),
    );
    expect(accounts.length).toBeGreaterThan(0);
    const { accounts: known } = await worldOf(link);
    for (const { id, name, account_type } of accounts) {
      const fields = ['name', 'ach_routing_number', 'ach_account_number', 'account_type', 'ach_account_id'];
      const numbers = known.find((each) => each.name === name)?.numbers;
      expect(await vaultOf(service, fp_id).decrypt(fields.map((field) => `bank.${id}.${field}`))).toEqual({
        [`bank.${id}.name`]: name,
        [`bank.${id}.ach_routing_number`]: numbers?.routing,
        [`bank.${id}.ach_account_number`]: numbers?.account,
        [`bank.${id}.account_type`]: account_type.replace('depository.', ''),
        [`bank.${id}.ach_account_id`]: id,
      });
    }
    expect(await vaultOf(service, fp_id).write({})).toBe(2);
  });

  test('bank_links: the vault of a business stays as it is', async (service) => {
    const fp_bid = await service.business();

    const link = await bankOf(service).link(fp_bid);

    const { version } = await service.call('PATCH /businesses/{fp_bid}/vault', {
      params: { fp_bid },
      body: {},
    });
    expect([link.fp_id, version]).toEqual([fp_bid, 1]);
    expect(await bankOf(service).accounts(link.id)).not.toEqual([]);
  });
});

test('bank_links: of many at once one is served, and nothing is half done for the others', async (service) => {
  const fp_id = await service.user();
  const { intent_token } = await bankOf(service).intent(fp_id);

  const replies = await Promise.all(
    [1, 2, 3, 4].map(() => service.request(LINK, { body: { intent_token } })),
  );

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const link = replies.find(({ status }) => status === 200)?.body as { id: string };
  expect(count(service, 'bank_links')).toBe(1);
  expect(count(service, 'bank_accounts')).toBe((await bankOf(service).accounts(link.id)).length);
  expect(await vaultOf(service, fp_id).write({})).toBe(2);
});

describe('while it is made', () => {
  /** Starts a request that makes a link, one minute before midnight. */
  async function linkInTheMaking(persona: string) {
    const service = await startService();
    service.clock.advance(DAY / 2 - MINUTE);
    const fp_id = await service.user({});
    const { intent_token } = await bankOf(service).intent(fp_id, { persona });
    let isDone = false;
    const isUnderWay = idMade(service, 'bankLink');
    const reply = service.request(LINK, { body: { intent_token } }).finally(() => (isDone = true));
    await isUnderWay;
    return {
      service,
      fp_id,
      reply,
      isDone: () => isDone,
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  }

  test('bank_links: other requests are served, and see nothing before the link is complete', async () => {
    await using link = await linkInTheMaking('joint');

    for (let request = 1; request <= 20; request++) {
      expect((await link.service.call('GET /bank_links')).body.data).toEqual([]);
    }
    expect(link.isDone()).toBe(false);

    const { id } = (await link.reply).body as { id: string };
    const { entries } = await worldOf({ id }, { persona: 'joint', now: NOON + DAY / 2 - MINUTE });
    expect((await bankOf(link.service).transactions(id, { size: 1 })).total).toBe(entries.length);
  });

  test('bank_links: an entity that is deleted leaves nothing behind', async () => {
    await using link = await linkInTheMaking('joint');

    await link.service.call('DELETE /users/{fp_id}', { params: { fp_id: link.fp_id } });
    expect(link.isDone()).toBe(false);

    expect((await link.reply).body).toMatchObject({ code: 'intent_invalid' });
    for (const table of ['bank_links', 'bank_accounts', 'bank_transactions', 'bank_link_intents']) {
      expect(count(link.service, table), table).toBe(0);
    }
  });

  test('bank_links: a day that ends is reported too', async () => {
    await using link = await linkInTheMaking('joint');
    link.service.clock.advance(2 * MINUTE);
    expect(link.isDone()).toBe(false);

    const { id, created_at } = (await link.reply).body as { id: string; created_at: string };

    expect(created_at).toBe(new Date(NOON + DAY / 2 + MINUTE).toISOString());
    const { transactions } = await bankOf(link.service).transactions(id, { start_date: '2026-03-01' });
    const world = (await loadBankSimulations()).create('joint', { seed: id, anchor: dayOf(NOON) + 1 });
    const entries = [...completeDays(world, world.begin(), NOON + DAY)].flatMap((day) => day.entries);
    expect(transactions).toHaveLength(entries.filter(({ at }) => dayOf(at) === dayOf(NOON)).length);
    expect((await bankOf(link.service).transactions(id, { size: 1 })).total).toBe(entries.length);
  });
});

describe('a reconnection', () => {
  test('bank_links: reconnects the same link, with the data of the days since', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'default', external_id: 'first' });
    await bank.reset(link.id);
    service.clock.advance(10 * DAY);

    const again = await bank.link(fp_id, { link_id: link.id });

    const now = new Date(NOON + 10 * DAY).toISOString();
    const times = { refreshed_at: now, last_attempted_at: now };
    expect(again).toEqual({
      ...link,
      products: Object.fromEntries(Object.keys(link.products).map((product) => [product, times])),
      last_synced_at: now,
    });
    expect(await bank.get(link.id)).toEqual(again);
    const { entries } = await worldOf(link, { now: NOON + 10 * DAY });
    expect((await bank.transactions(link.id, { size: 1 })).total).toBe(
      entries.filter(({ ledger }) => ledger === 'bank').length,
    );
    expect((await service.call('GET /bank_links')).body.meta.count).toBe(1);
  });

  test('bank_links: others are served while years are added, and see nothing before all are complete', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'joint' });
    await bank.reset(link.id);
    service.clock.advance(1_000.5 * DAY - MINUTE);
    const { total: before } = await bank.transactions(link.id, { size: 1 });
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    let isDone = false;
    const reply = service.request(LINK, { body: { intent_token } }).finally(() => (isDone = true));

    for (let request = 1; request <= 10; request++) {
      await setImmediate();
      expect((await bank.get(link.id)).state).toBe('error');
      expect((await bank.transactions(link.id, { size: 1 })).total).toBe(before);
    }
    expect(isDone).toBe(false);
    service.clock.advance(2 * MINUTE);

    expect(await reply).toMatchObject({ status: 200, body: { id: link.id, state: 'connected' } });
    const { entries } = await worldOf(link, { persona: 'joint', now: NOON + 1_000.5 * DAY + MINUTE });
    expect((await bank.transactions(link.id, { size: 1 })).total).toBe(entries.length);
  });

  test('bank_links: changes the external id when it is sent', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { external_id: 'first' });

    const second = await bank.link(fp_id, { link_id: link.id, external_id: 'second' });
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    const { body: none } = await service.call(LINK, { body: { intent_token, external_id: null } });

    expect([second.external_id, none.external_id]).toEqual(['second', null]);
    expect((await bank.get(link.id)).external_id).toBeNull();
  });

  test('bank_links: writes no account numbers again', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    await vaultOf(service, fp_id).delete({ fields: await bankValues(service, fp_id) });
    expect(await bankValues(service, fp_id)).toEqual([]);

    await bank.link(fp_id, { link_id: link.id });

    expect(await bankValues(service, fp_id)).toEqual([]);
  });

  test('bank_links: a bank that was down answers again, and still knows no account', async (service) => {
    const { bank, fp_id, link } = await aLink(service, { persona: 'broken' });

    const again = await bank.link(fp_id, { link_id: link.id });

    expect(again).toMatchObject({
      id: link.id,
      state: 'connected',
      error_code: null,
      last_synced_at: new Date(NOON).toISOString(),
    });
    expect(await bank.accounts(link.id)).toEqual([]);
  });

  test('bank_links: a link deleted meanwhile is not found', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });
    await service.call('DELETE /bank_links/{link_id}', { params: { link_id: link.id } });

    expect(await service.refused(LINK, { body: { intent_token } })).toMatchObject(
      failureOf(400, 'intent_invalid'),
    );
  });

  test('bank_links: of many at once one is served', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    const { intent_token } = await bank.intent(fp_id, { link_id: link.id });

    const replies = await Promise.all([1, 2].map(() => service.request(LINK, { body: { intent_token } })));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test.each([
  ['First Example Bank', 'first-example-bank'],
  ['  Bank -- of_Examples (N.A.) ', 'bank-of-examples-n-a'],
  ['Żółć Ünïón', 'zo-c-union'],
  ['２ Sisters', '2-sisters'],
  ['例', 'institution'],
  ['--', 'institution'],
])('bank_links: the institution %j has the id %s', (name, id) => {
  expect(institutionId(name)).toBe(id);
});
