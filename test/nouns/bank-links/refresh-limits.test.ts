/** POST …/data_refresh with the setting bank.refresh_limits (contract §7.2). */
import { expect } from 'vitest';
import type { BankProduct } from '../../../src/nouns/bank-links/facts.ts';
import { advance } from '../../support/runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { testWith } from '../../support/test-with.ts';
import { aLink, pending } from './a-bank.ts';

const REFRESH = 'POST /bank_links/{link_id}/data_refresh';
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

async function aLimitedLink(service: TestService) {
  const { bank, link } = await aLink(service);
  const refused = async (...products: BankProduct[]) => {
    const reply = await bank.request(REFRESH, link.id, { body: products });
    const { code } = reply.body as { code?: string };
    return [reply.status, code, reply.headers['retry-after']];
  };
  return { bank, link, refused };
}

const limited = () => startService({ settings: { bank: { refresh_limits: true } } });

const test = testWith(limited);
const wait = (seconds: number) => [429, 'rate_limited', String(seconds)];
const ACCEPTED = [200, undefined, undefined];

test.eachWith<[BankProduct, number]>([
  ['accounts', HOUR_SECONDS],
  ['transactions', HOUR_SECONDS],
  ['account_numbers', DAY_SECONDS],
  ['identity', DAY_SECONDS],
])(
  'refresh_limits: %s may be requested once in %i seconds of the clock',
  async (service, product, seconds) => {
    const { refused } = await aLimitedLink(service);

    expect(await refused(product)).toEqual(ACCEPTED);
    expect(await refused(product)).toEqual(wait(seconds));
    await advance(service, '1500ms');
    expect(await refused(product)).toEqual(wait(seconds - 1));
    await advance(service, `${seconds * 1_000 - 1_501}ms`);
    expect(await refused(product)).toEqual(wait(1));
    await advance(service, '1ms');
    expect(await refused(product)).toEqual(ACCEPTED);
  },
);

test('refresh_limits: each product and each link has its own, investments none; the longest wait refuses the whole call', async (service) => {
  const { refused } = await aLimitedLink(service);
  const other = await aLimitedLink(service);
  expect(await refused('accounts', 'identity')).toEqual(ACCEPTED);

  expect(await refused('transactions', 'accounts', 'identity')).toEqual(wait(DAY_SECONDS));
  await advance(service, '1h');

  expect(await refused('accounts', 'identity')).toEqual(wait(DAY_SECONDS - HOUR_SECONDS));
  expect(await refused('transactions', 'accounts')).toEqual(ACCEPTED);
  expect(await other.refused('accounts', 'identity')).toEqual(ACCEPTED);
  expect([await refused('investments'), await refused('investments')]).toEqual([ACCEPTED, ACCEPTED]);
});

test('refresh_limits: a refused call and a nightly refresh use nothing up', async (service) => {
  const { bank, link, refused } = await aLimitedLink(service);
  await refused('accounts');
  await advance(service, '59m');
  const before = await pending(service);

  expect(await refused('accounts')).toEqual(wait(60));

  expect(await pending(service)).toBe(before);
  await advance(service, '1m');
  expect(await refused('accounts')).toEqual(ACCEPTED);
  await advance(service, '11h');
  const { accounts } = (await bank.get(link.id)).products;
  expect(accounts?.refreshed_at).toMatch(/T00:00:00/);
  expect(await refused('accounts')).toEqual(ACCEPTED);
});

test('refresh_limits: a clock that moves back past the last request ends the wait, and so does a new login', async (service) => {
  const { bank, link, refused } = await aLimitedLink(service);
  await refused('identity');
  await service.call('PUT /_kyclone/clock', { body: { action: 'offset', by: '-1h' } });
  expect(await refused('identity')).toEqual(ACCEPTED);
  expect(await refused('identity')).toEqual(wait(DAY_SECONDS));

  await bank.link(link.fp_id, { link_id: link.id });

  expect(await refused('identity')).toEqual(ACCEPTED);
});

test('refresh_limits: are off by default; turned on, they count earlier requests, too', async () => {
  await using service = await startService();
  const { refused } = await aLimitedLink(service);
  expect([await refused('accounts'), await refused('accounts')]).toEqual([ACCEPTED, ACCEPTED]);

  await service.call('PATCH /_kyclone/settings', { body: { bank: { refresh_limits: true } } });

  expect(await refused('accounts')).toEqual(wait(HOUR_SECONDS));
});
