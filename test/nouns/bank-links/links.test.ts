/** Lists of links, links that are disconnected or deleted, and the keys that see a link (contract §0.3, §7, §9.2). */
import { describe, expect } from 'vitest';
import type { EndpointKey } from '../../../src/contract/registry.ts';
import { insertLink } from '../../../src/nouns/bank-links/service/links-repository.ts';
import { bankOf } from '../../support/bank-links.ts';
import {
  LIVE_KEY,
  NOON,
  SANDBOX_KEY,
  failureOf,
  startService,
  type TestService,
} from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';
import { aLink } from './a-bank.ts';

const LIST = 'GET /bank_links';
const READINGS: readonly EndpointKey[] = [
  'GET /bank_links/{link_id}',
  'GET /bank_links/{link_id}/accounts',
  'GET /bank_links/{link_id}/transactions',
  'GET /bank_links/{link_id}/investments/holdings',
  'GET /bank_links/{link_id}/investments/transactions',
];
const EXTENDED = { settings: { events: { extended: true } } };

/**
 * Inserts links of one user and returns them as lists show them. `at` holds the creation times in milliseconds after
 * noon.
 */
async function links(service: TestService, at: readonly number[]): Promise<string[]> {
  const fp_id = await service.user({});
  const place = service.database.prepare('SELECT id, space FROM entities WHERE fp_id = ?').get(fp_id) as {
    id: number;
    space: number;
  };
  const ids = at.map((_, index) => `link_${String(index).padStart(22, '0')}`);
  at.forEach((ms, index) => {
    insertLink(service.database, {
      ...{
        id: ids[index] ?? '',
        space: place.space,
        entity: place.id,
        external_id: null,
        persona: 'default',
      },
      ...{ anchor: 0, institution: 'First Example Bank', state: 'connected', error_code: null, products: {} },
      ...{ last_synced_at: null, due_at: null, sealed_world: new Uint8Array(), created_at: NOON + ms },
    });
  });
  return ids;
}

async function idsOf(service: TestService, query: Parameters<typeof service.call<typeof LIST>>[1] = {}) {
  return (await service.call(LIST, query)).body.data.map(({ id }) => id);
}

/** Returns the events about links, oldest first. */
async function linkEvents(service: TestService): Promise<unknown[]> {
  const { data } = (await service.call('GET /_kyclone/events')).body;
  return data
    .filter(({ kind }) => kind === 'user.bank_link_updated')
    .map(({ body }) => body)
    .reverse();
}

describe('lists', () => {
  test('bank_links: a list returns four members of each link', async (service) => {
    const fp_id = await service.user();
    const { id } = await bankOf(service).link(fp_id, { external_id: 'theirs' });

    expect((await service.call(LIST)).body).toEqual({
      data: [{ id, fp_id, external_id: 'theirs', created_at: new Date(NOON).toISOString() }],
      meta: { count: 1, next: null },
    });
  });

  test('bank_links: a list of none is empty', async (service) => {
    expect((await service.call(LIST)).body).toEqual({ data: [], meta: { count: 0, next: null } });
  });

  test.eachWith([1, 2, 3, 4, 5, 6, 100])(
    'bank_links: pages of %i make up the list, newest first',
    async (service, page_size) => {
      const [oldest, two, three, four, newest] = await links(service, [0, 5, 5, 5, 9]);
      const seen: (string | undefined)[] = [];
      let cursor: string | undefined;

      do {
        const { data, meta } = (await service.call(LIST, { query: { page_size, cursor } })).body;
        expect(meta.count).toBe(5);
        expect(data.length).toBe(Math.min(page_size, 5 - seen.length));
        seen.push(...data.map(({ id }) => id));
        cursor = meta.next ?? undefined;
      } while (cursor !== undefined);

      expect(seen).toEqual([newest, four, three, two, oldest]);
    },
  );

  test('bank_links: a page has twenty links at first, and a hundred at most', async (service) => {
    await links(service, Array<number>(130).fill(0));

    expect(await idsOf(service)).toHaveLength(20);
    expect(await idsOf(service, { query: { page_size: 101 } })).toHaveLength(100);
    for (const page_size of [1_000_000, 2 ** 53, 1e20])
      expect(await idsOf(service, { query: { page_size } })).toHaveLength(100);
  });

  test.eachWith([' ', 'abc', '!!', 'WzFd', Buffer.from('["a","b"]').toString('base64url'), 'null'])(
    'bank_links: %j is no cursor of a list',
    async (service, cursor) => {
      expect(await service.refused(LIST, { query: { cursor } })).toMatchObject(
        failureOf(400, 'invalid_request'),
      );
    },
  );

  test('bank_links: link_ids are those of the list; unknown ones are ignored, repeats and blanks too', async (service) => {
    const [one, two, three] = await links(service, [1, 2, 3]);
    const list = async (link_ids: string) => (await service.call(LIST, { query: { link_ids } })).body;

    expect(await list(` ${one},link_unknown,, ${three} ,${one}`)).toMatchObject({
      data: [{ id: three }, { id: one }],
      meta: { count: 2, next: null },
    });
    expect(await list('link_unknown')).toEqual({ data: [], meta: { count: 0, next: null } });
    expect(await list(' , ')).toMatchObject({ data: [{ id: three }, { id: two }, { id: one }] });
  });

  test('bank_links: pages of named links hold no others', async (service) => {
    const [one, two, , four] = await links(service, [1, 2, 3, 4]);
    const query = { link_ids: `${one},${two},${four}`, page_size: 2 };

    const first = (await service.call(LIST, { query })).body;
    const second = (await service.call(LIST, { query: { ...query, cursor: first.meta.next ?? '' } })).body;

    expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([[four, two], [one]]);
    expect([first.meta.count, second.meta]).toEqual([3, { count: 3, next: null }]);
  });

  test('bank_links: a hundred ids are the most that are taken', async (service) => {
    const ids = Array.from({ length: 101 }, (_, index) => `link_${index}`);

    expect(await idsOf(service, { query: { link_ids: ids.slice(1).join(',') } })).toEqual([]);
    const refusal = await service.refused(LIST, { query: { link_ids: ids.join(',') } });
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'link_ids'));
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
    await using service = await startService(EXTENDED);
    const bank = bankOf(service);
    const fp_id = await service.user({});
    await service.call('PATCH /users/{fp_id}', { params: { fp_id }, body: { external_id: 'user-1' } });
    const link = await bank.link(fp_id, { external_id: 'link-1' });
    const event = {
      event_kind: expect.stringMatching(/\.user\.bank_link_updated$/) as string,
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
    expect(await linkEvents(service)).toEqual([event]);

    await bank.link(fp_id, { link_id: link.id, external_id: 'link-2' });
    await bank.link(fp_id, { link_id: link.id });
    expect((await linkEvents(service)).slice(1)).toEqual([
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
    await using service = await startService(EXTENDED);
    const { bank, link } = await aLink(service, { persona: 'broken' });

    await bank.reset(link.id);

    expect(await bank.get(link.id)).toEqual({ ...link, error_code: 'auth_expired' });
    expect(await linkEvents(service)).toMatchObject([{ link_state: 'error', link_error: 'auth_expired' }]);
  });

  test('bank_links: a disconnected link has nothing to do at midnight, a connected one has', async (service) => {
    const { bank, fp_id, link } = await aLink(service);
    const due = () => service.database.prepare('SELECT due_at FROM bank_links').pluck().get();
    expect(due()).toBe(NOON + 12 * 3_600_000);

    await bank.reset(link.id);
    expect(due()).toBeNull();

    await bank.link(fp_id, { link_id: link.id });
    expect(due()).toBe(NOON + 12 * 3_600_000);
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
    expect(await idsOf(service)).toEqual([other.id]);
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

  test('bank_links: a deleted user takes the links along', async (service) => {
    const { bank, fp_id, link } = await aLink(service);

    await service.call('DELETE /users/{fp_id}', { params: { fp_id } });

    expect((await bank.request('GET /bank_links/{link_id}', link.id)).status).toBe(404);
    expect(service.database.prepare('SELECT count(*) FROM bank_transactions').pluck().get()).toBe(0);
  });
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
