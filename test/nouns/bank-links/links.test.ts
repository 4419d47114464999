/** Lists of links, links that are disconnected or deleted, and keys that see a link (contract §0.3, §7, §9.2, §11). */
import { describe, expect } from 'vitest';
import type { EndpointKey, RequestOf } from '../../../src/contract/registry.ts';
import { bankOf } from '../../support/bank-links.ts';
import { eventsOfKind } from '../../support/runs.ts';
import { LIVE_KEY, NOON, SANDBOX_KEY, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { aLink, LINK_UPDATED, withEvents } from './a-bank.ts';

const LIST = 'GET /bank_links';
const READINGS: readonly EndpointKey[] = [
  'GET /bank_links/{link_id}',
  'GET /bank_links/{link_id}/accounts',
  'GET /bank_links/{link_id}/transactions',
  'GET /bank_links/{link_id}/investments/holdings',
  'GET /bank_links/{link_id}/investments/transactions',
];

/** Makes links of one user, each so many milliseconds after the one before, and returns their ids, oldest first. */
async function links(service: TestService, gaps: readonly number[]): Promise<string[]> {
  const fp_id = await service.user({});
  const made: string[] = [];
  for (const gap of gaps) {
    service.clock.advance(gap);
    const { id, created_at } = await bankOf(service).link(fp_id, { persona: 'empty' });
    made.push(`${created_at} ${id}`);
  }
  return made.sort().map((text) => text.slice(text.indexOf(' ') + 1));
}

describe('lists', () => {
  test('bank_links: a list returns four members of each link, and nothing where there is none', async (service) => {
    expect((await service.call(LIST)).body).toEqual({ data: [], meta: { count: 0, next: null } });
    const fp_id = await service.user();
    const { id } = await bankOf(service).link(fp_id, { external_id: 'theirs' });

    expect((await service.call(LIST)).body).toEqual({
      data: [{ id, fp_id, external_id: 'theirs', created_at: new Date(NOON).toISOString() }],
      meta: { count: 1, next: null },
    });
  });

  test.eachWith([1, 2, 6])(
    'bank_links: pages of %i make up the list, newest first, ties by id descending',
    async (service, page_size) => {
      const ids = await links(service, [0, 5, 0, 0, 4]);
      const seen: string[] = [];
      let cursor: string | undefined;

      do {
        const { data, meta } = (await service.call(LIST, { query: { page_size, cursor } })).body;
        expect(meta.count).toBe(5);
        expect(data.length).toBe(Math.min(page_size, 5 - seen.length));
        seen.push(...data.map(({ id }) => id));
        cursor = meta.next ?? undefined;
      } while (cursor !== undefined);

      expect(seen).toEqual(ids.reverse());
    },
  );

  test('bank_links: link_ids are those of the list and of its pages; unknown ones, repeats and blanks are ignored', async (service) => {
    const [one, two, three, four] = await links(service, [1, 1, 1, 1]);
    const list = async (link_ids: string, query = {}) =>
      (await service.call(LIST, { query: { link_ids, ...query } })).body;
    const link_ids = ` ${one},link_unknown,, ${two} ,${four},${one}`;

    const first = await list(link_ids, { page_size: 2 });
    expect(first).toMatchObject({ data: [{ id: four }, { id: two }], meta: { count: 3 } });
    expect(await list(link_ids, { page_size: 2, cursor: first.meta.next })).toMatchObject({
      data: [{ id: one }],
      meta: { count: 3, next: null },
    });
    expect(await list('link_unknown')).toEqual({ data: [], meta: { count: 0, next: null } });
    expect(await list(' , ')).toMatchObject({ data: [four, three, two, one].map((id) => ({ id })) });
  });

  test('bank_links: an entity shows its links, newest first', async (service) => {
    const bank = bankOf(service);
    const fp_id = await service.user();
    const first = await bank.link(fp_id, { persona: 'broken' });
    service.clock.advance(1);
    const second = await bank.link(fp_id);
    await bank.link(await service.user({}), { persona: 'broken' });

    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });

    expect(body.bank_links).toEqual([second, first]);
  });
});

describe('reset', () => {
  test('bank_links: a disconnected link reports its state, and its data stay readable', async (service) => {
    const { bank, link } = await aLink(service);
    const [accounts, transactions] = [await bank.accounts(link.id), await bank.transactions(link.id)];

    expect((await bank.reset(link.id)).body).toEqual({});

    expect(await bank.get(link.id)).toEqual({ ...link, state: 'error', error_code: 'auth_expired' });
    expect(await bank.accounts(link.id)).toEqual(accounts);
    expect(await bank.transactions(link.id)).toEqual(transactions);
  });

  test('bank_links: only what changes a link is sent as an event', async () => {
    await using service = await withEvents();
    const bank = bankOf(service);
    const fp_id = await service.user({});
    await service.call('PATCH /users/{fp_id}', { params: { fp_id }, body: { external_id: 'user-1' } });
    const link = await bank.link(fp_id, { external_id: 'link-1' });
    const event = {
      event_kind: LINK_UPDATED,
      fp_id,
      is_live: false,
      timestamp: new Date(NOON).toISOString(),
      link_id: link.id,
      link_external_id: 'link-1',
      link_state: 'error',
      link_event_kind: 'link_state_changed',
      link_product_refresh: null,
      link_error: 'auth_expired',
      error_message: 'The login at the bank has expired: connect the link again',
      user_external_id: 'user-1',
    };

    await bank.reset(link.id);
    await bank.reset(link.id);
    expect(await eventsOfKind(service, LINK_UPDATED)).toEqual([event]);

    await bank.link(fp_id, { link_id: link.id, external_id: 'link-2' });
    await bank.link(fp_id, { link_id: link.id });
    expect((await eventsOfKind(service, LINK_UPDATED)).slice(1)).toEqual([
      {
        ...event,
        link_external_id: 'link-2',
        link_state: 'connected',
        link_error: null,
        error_message: null,
      },
    ]);
  });

  test('bank_links: reset of a link with a failing bank gives auth_expired', async () => {
    await using service = await withEvents();
    const { bank, link } = await aLink(service, { persona: 'broken' });

    await bank.reset(link.id);

    expect(await bank.get(link.id)).toEqual({ ...link, error_code: 'auth_expired' });
    expect(await eventsOfKind(service, LINK_UPDATED)).toMatchObject([
      { link_state: 'error', link_error: 'auth_expired' },
    ]);
  });
});

describe('delete', () => {
  test('bank_links: a deleted link is gone with all that it brought', async (service) => {
    const bank = bankOf(service);
    const fp_id = await service.user();
    const [link, other] = [await bank.link(fp_id), await bank.link(fp_id)];
    const [accounts, transactions] = [await bank.accounts(other.id), await bank.transactions(other.id)];
    await bank.intent(fp_id, { link_id: link.id });

    const { body } = await service.call('DELETE /bank_links/{link_id}', { params: { link_id: link.id } });

    expect(body).toEqual({});
    for (const key of READINGS) {
      expect((await bank.request(key, link.id)).status, key).toBe(404);
    }
    expect((await service.call(LIST)).body).toMatchObject({ data: [{ id: other.id }], meta: { count: 1 } });
    expect(await bank.accounts(other.id)).toEqual(accounts);
    expect(await bank.transactions(other.id)).toEqual(transactions);
    for (const table of ['bank_accounts', 'bank_transactions']) {
      const links = service.database.prepare(`SELECT DISTINCT link FROM ${table}`).all();
      expect(links, table).toHaveLength(1);
    }
  });

  test('bank_links: vaulted data stay in the vault', async (service) => {
    const fp_id = await service.user();
    const link = await bankOf(service).link(fp_id);
    const before = await vaultOf(service, fp_id).present();

    await service.call('DELETE /bank_links/{link_id}', { params: { link_id: link.id } });

    expect(await vaultOf(service, fp_id).present()).toEqual(before);
    expect(Object.keys(before).some((name) => name.startsWith('bank.'))).toBe(true);
  });

  test.eachWith(['POST /bank_links/{link_id}/reset', 'DELETE /bank_links/{link_id}'] as const)(
    'bank_links: %s of a link that is deleted at the same time finds it or not',
    async (service, key) => {
      const bank = bankOf(service);
      const { id } = await bank.link(await service.user(), { persona: 'broken' });

      const replies = await Promise.all([
        bank.request('DELETE /bank_links/{link_id}', id),
        bank.request(key, id),
      ]);

      expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    },
  );
});

describe('keys of other tenants and environments', () => {
  test.eachWith([
    ['GET /bank_links/{link_id}/transactions', { query: { page: 0 } }],
    ['GET /bank_links/{link_id}/investments/transactions', { query: { size: 0 } }],
    ['POST /bank_links/{link_id}/data_refresh', { body: {} }],
    ['POST /bank_links/{link_id}/import/transactions', { body: { transactions: [] } }],
  ] as const)(
    'bank_links: an unknown link is reported before other problems (%s)',
    async (service, key, parts) => {
      const { id } = (await aLink(service, { persona: 'empty' })).link;

      const answerTo = async (link_id: string, as = SANDBOX_KEY) =>
        (await service.refused(key, { ...parts, params: { link_id }, as })).code;

      expect(await answerTo(id)).toBe('invalid_request');
      expect(await answerTo('link_0000000000000000000000')).toBe('not_found');
      expect(await answerTo(id, LIVE_KEY)).toBe('not_found');
    },
  );

  test('bank_links: every list is of the links of its tenant and environment', async (service) => {
    const other = await service.key({ tenant: 'other', environment: 'sandbox' });
    const { link: ours } = await aLink(service, { persona: 'empty' });
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
      expect((await service.call('GET /bank_links', { ...parts, query: { link_ids } })).body).toEqual(
        expected,
      );
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
});

const INSPECTED = 'GET /_kyclone/bank_links';
type Query = Partial<RequestOf<typeof INSPECTED>['query']>;

const list = async (service: TestService, query: Query = {}) =>
  (await service.call(INSPECTED, { query })).body;
const idsOf = async (service: TestService, query: Query = {}) =>
  (await list(service, query)).data.map(({ id }) => id);

/** Makes links of two users, one connected and one disconnected, newest first. */
async function twoLinks(service: TestService) {
  const bank = bankOf(service);
  const [one, other] = [await service.user(), await service.user()];
  const connected = await bank.link(one, { persona: 'student', external_id: 'theirs' });
  service.clock.advance(1_000);
  const broken = await bank.link(other, { persona: 'empty' });
  await bank.reset(broken.id);
  return { one, other, connected, broken };
}

describe('lists of the inspector', () => {
  test('bank_links: the members of the list of the API, and the state beside', async (service) => {
    const { one, other, connected, broken } = await twoLinks(service);

    expect(await list(service)).toEqual({
      data: [
        {
          id: broken.id,
          fp_id: other,
          external_id: null,
          created_at: broken.created_at,
          state: 'error',
          error_code: 'auth_expired',
          institution_name: 'First Example Bank',
          persona: 'empty',
        },
        {
          id: connected.id,
          fp_id: one,
          external_id: 'theirs',
          created_at: connected.created_at,
          state: 'connected',
          error_code: null,
          institution_name: 'First Example Bank',
          persona: 'student',
        },
      ],
      meta: { count: 2, next: null },
    });
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
