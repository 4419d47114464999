/** Which keys see a link: those of its tenant and environment with scope and permission (contract §0.3, §7). */
import { expect } from 'vitest';
import { bankOf } from '../../support/bank-links.ts';
import { LIVE_KEY, SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

async function aLink(service: TestService) {
  return bankOf(service).link(await service.user({}), { persona: 'empty' });
}

test.eachWith([
  ['GET /bank_links/{link_id}/transactions', { query: { page: 0 } }],
  ['GET /bank_links/{link_id}/investments/transactions', { query: { size: 0 } }],
  ['POST /bank_links/{link_id}/data_refresh', { body: {} }],
  ['POST /bank_links/{link_id}/import/transactions', { body: { transactions: [] } }],
] as const)(
  'bank_links: an unknown link is reported before other problems (%s)',
  async (service, key, parts) => {
    const { id } = await aLink(service);

    const answerTo = async (link_id: string, as = SANDBOX_KEY) =>
      (await service.refused(key, { ...parts, params: { link_id }, as })).code;

    expect(await answerTo(id)).toBe('invalid_request');
    expect(await answerTo('link_0000000000000000000000')).toBe('not_found');
    expect(await answerTo(id, LIVE_KEY)).toBe('not_found');
  },
);

test('bank_links: every list is of the links of its tenant and environment', async (service) => {
  const other = await service.key({ tenant: 'other', environment: 'sandbox' });
  const ours = await aLink(service);
  const theirs = await bankOf(service, other).link(await service.user({}, other), { persona: 'empty' });
  const live = await bankOf(service, LIVE_KEY).link(await service.user({}, LIVE_KEY), { persona: 'empty' });
  const link_ids = [ours, theirs, live].map(({ id }) => id).join(',');

  for (const [as, link] of [
    [undefined, ours],
    [other, theirs],
    [LIVE_KEY, live],
  ] as const) {
    const parts = as === undefined ? {} : { as };
    const expected = { data: [expect.objectContaining({ id: link.id })], meta: { count: 1, next: null } };
    expect((await service.call('GET /bank_links', parts)).body).toEqual(expected);
    expect((await service.call('GET /bank_links', { ...parts, query: { link_ids } })).body).toEqual(expected);
  }
});

test('bank_links: an intent is of no use to another tenant or environment, and remains to its own', async (service) => {
  const other = await service.key({ tenant: 'other', environment: 'sandbox' });
  const { intent_token } = await bankOf(service).intent(await service.user());

  for (const as of [other, LIVE_KEY]) {
    const refusal = await service.refused('POST /bank_links', { body: { intent_token }, as });
    expect(refusal).toMatchObject({ status: 400, code: 'intent_invalid' });
  }

  expect((await service.call('POST /bank_links', { body: { intent_token } })).body.state).toBe('connected');
  for (const as of [other, LIVE_KEY]) {
    expect(await service.refused('POST /bank_links', { body: { intent_token }, as })).toMatchObject({
      status: 400,
    });
  }
});
