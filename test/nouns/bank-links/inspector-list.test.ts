/** GET /_kyclone/bank_links (contract §11): the links of a tenant and environment with their state. */
import { describe, expect } from 'vitest';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { bankOf } from '../../support/bank-links.ts';
import { LIVE_KEY, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const LIST = 'GET /_kyclone/bank_links';
type Query = Partial<RequestOf<typeof LIST>['query']>;

const list = async (service: TestService, query: Query = {}) => (await service.call(LIST, { query })).body;
const idsOf = async (service: TestService, query: Query = {}) =>
  (await list(service, query)).data.map(({ id }) => id);

/** Makes links of two users, one connected and one disconnected, newest first. */
async function twoLinks(service: TestService) {
  const bank = bankOf(service);
  const [one, other] = [await service.user(), await service.user()];
  const connected = await bank.link(one, { persona: 'student', external_id: 'theirs' });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: 1000 } });
  const broken = await bank.link(other, { persona: 'empty' });
  await bank.reset(broken.id);
  return { one, other, connected, broken };
}

describe('GET /_kyclone/bank_links', () => {
  test('bank_links: the members of the list of the API, and the state beside', async (service) => {
    const { one, other, connected, broken } = await twoLinks(service);

    expect(await list(service)).toEqual({
      data: [
        {
          ...{ id: broken.id, fp_id: other, external_id: null, created_at: broken.created_at },
          ...{ state: 'error', error_code: 'auth_expired' },
          ...{ institution_name: 'First Example Bank', persona: 'empty' },
        },
        {
          ...{ id: connected.id, fp_id: one, external_id: 'theirs', created_at: connected.created_at },
          ...{ state: 'connected', error_code: null },
          ...{ institution_name: 'First Example Bank', persona: 'student' },
        },
      ],
      meta: { count: 2, next: null },
    });
    const { data } = (await service.call('GET /bank_links')).body;
    expect(data.map((item) => Object.keys(item))).toEqual(
      data.map(() => ['id', 'fp_id', 'external_id', 'created_at']),
    );
  });

  test('bank_links: filters by state, entity and ids at once', async (service) => {
    const { one, other, connected, broken } = await twoLinks(service);

    expect(await idsOf(service, { state: 'connected' })).toEqual([connected.id]);
    expect(await idsOf(service, { state: 'error' })).toEqual([broken.id]);
    expect(await idsOf(service, { fp_id: one })).toEqual([connected.id]);
    expect(await idsOf(service, { fp_id: other, state: 'connected' })).toEqual([]);
    expect(await idsOf(service, { fp_id: 'fp_id_nobody' })).toEqual([]);
    expect(await idsOf(service, { link_ids: `${connected.id},link_none` })).toEqual([connected.id]);
    expect((await list(service, { state: 'error' })).meta.count).toBe(1);
  });

  test('bank_links: page by page, a filter kept', async (service) => {
    const bank = bankOf(service);
    const fp_id = await service.user();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await bank.link(fp_id, { persona: 'empty' })).id);

    const first = await list(service, { fp_id, page_size: 2 });
    const second = await list(service, { fp_id, page_size: 2, cursor: first.meta.next ?? '' });

    expect([...first.data, ...second.data].map(({ id }) => id).sort()).toEqual(ids.sort());
    expect([first.meta.count, second.meta.next]).toEqual([3, null]);
  });

  test('bank_links: shows one environment and one tenant', async (service) => {
    const { one, broken } = await twoLinks(service);
    const live = await service.call('POST /users', { as: LIVE_KEY });
    await service.key({ tenant: 'acme' });

    expect(await idsOf(service, { environment: 'live' })).toEqual([]);
    expect(await idsOf(service, { tenant: 'acme', fp_id: one })).toEqual([]);
    expect(await idsOf(service, { tenant: 'acme', link_ids: broken.id })).toEqual([]);
    expect(await idsOf(service, { fp_id: live.body.id })).toEqual([]);
  });
});
