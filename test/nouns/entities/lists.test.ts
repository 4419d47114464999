/** The cursor envelope of every list (contract §0.9). */
import { describe, expect } from 'vitest';
import { KYC } from '../../support/builders.ts';
import { LIVE_KEY, failureOf, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

interface List {
  readonly key:
    | 'GET /users'
    | 'GET /businesses'
    | 'GET /_kyclone/entities'
    | 'GET /_kyclone/api-keys'
    | 'GET /_kyclone/sessions'
    | 'GET /_kyclone/playbooks'
    | 'GET /_kyclone/access-log'
    | 'GET /_kyclone/requests';
  /** Adds one more item. */
  add(service: TestService, number: number): Promise<unknown>;
  nameOf(item: Record<string, unknown>): unknown;
  /** The number of items that exist at the start. */
  readonly initially: number;
  /** True when the list itself adds an item at each call. */
  readonly grows?: boolean;
}

const idOf = (item: Record<string, unknown>) => item['id'];
let reader = '';

const lists: readonly List[] = [
  { key: 'GET /users', add: (service) => service.user({}), nameOf: idOf, initially: 0 },
  { key: 'GET /businesses', add: (service) => service.business({}), nameOf: idOf, initially: 0 },
  {
    key: 'GET /_kyclone/entities',
    add: (service, number) => (number % 2 === 0 ? service.user({}) : service.business({})),
    nameOf: idOf,
    initially: 0,
  },
  { key: 'GET /_kyclone/api-keys', add: (service) => service.key(), nameOf: idOf, initially: 2 },
  {
    key: 'GET /_kyclone/sessions',
    add: (service) => service.call('POST /onboarding/session', { body: { key: KYC } }),
    nameOf: idOf,
    initially: 0,
  },
  {
    key: 'GET /_kyclone/playbooks',
    add: (service) => service.call('POST /_kyclone/playbooks', { body: { name: 'Mine', kind: 'kyc' } }),
    nameOf: (item) => item['key'],
    initially: 2,
  },
  {
    key: 'GET /_kyclone/access-log',
    async add(service, number) {
      if (number === 0) reader = await service.user();
      const body = { fields: ['id.email'], reason: `reading ${number}` };
      return service.call('POST /users/{fp_id}/vault/decrypt', { params: { fp_id: reader }, body });
    },
    nameOf: (item) => item['seq'],
    initially: 0,
  },
  {
    key: 'GET /_kyclone/requests',
    add: (service) => service.call('GET /_kyclone/health'),
    nameOf: idOf,
    initially: 0,
    grows: true,
  },
];

interface Page {
  readonly data: Record<string, unknown>[];
  readonly meta: { readonly count: number; readonly next: string | null };
}

async function page(service: TestService, list: List, query: Record<string, string | number>): Promise<Page> {
  const reply = await service.request(list.key, { query: query });
  expect(reply.status, reply.text).toBe(200);
  return reply.body as Page;
}

async function everyPage(service: TestService, list: List, size: number, between?: () => Promise<unknown>) {
  const names: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const { data, meta } = await page(service, list, { page_size: size, ...(cursor && { cursor }) });
    names.push(...data.map(list.nameOf));
    if (meta.next !== null) expect(data).toHaveLength(size);
    cursor = meta.next;
    await between?.();
  } while (cursor !== null);
  return names;
}

async function filled(service: TestService, list: List, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    // Two items share each moment, so that the order must resolve ties.
    if (number % 2 === 0) service.clock.advance(1);
    await list.add(service, number);
  }
}

describe.each(lists)('$key', (list) => {
  const { key } = list;

  test(`${key}: pages of any size show every item once, newest first`, async (service) => {
    await filled(service, list, 7);
    const whole = await page(service, list, { page_size: 100 });
    const expected = whole.data.map(list.nameOf);
    const places = whole.data.flatMap((item) =>
      typeof item['created_at'] === 'string' ? [`${item['created_at']} ${String(list.nameOf(item))}`] : [],
    );
    expect(places).toEqual(places.toSorted().toReversed());

    for (const size of [1, 2, 3, 7, 50]) {
      const names = await everyPage(service, list, size);
      expect(new Set(names).size).toBe(names.length);
      expect(names.filter((name) => expected.includes(name))).toEqual(expected);
      if (!list.grows) expect(names).toEqual(expected);
    }
    if (!list.grows) expect(whole.meta).toEqual({ count: list.initially + 7, next: null });
  });

  test(`${key}: an entity added between two pages shifts nothing`, async (service) => {
    await filled(service, list, 6);
    const before = (await page(service, list, { page_size: 100 })).data.map(list.nameOf);

    const names = await everyPage(service, list, 2, async () => {
      service.clock.advance(1);
      await list.add(service, 7);
    });

    expect(names.filter((name) => before.includes(name))).toEqual(before);
    expect(new Set(names).size).toBe(names.length);
  });

  test(`${key}: a cursor that this list did not give is 400`, async (service) => {
    await filled(service, list, 3);
    const { meta } = await page(service, list, { page_size: 1 });
    const genuine = meta.next ?? '';
    const forged = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const wrong = [' ', 'nonsense', `${genuine}x`, forged([]), forged([null, null]), forged(['a', 'b', 'c'])];
    for (const cursor of wrong) {
      const refusal = await service.refused(key, { query: { cursor } });
      expect(refusal, cursor).toMatchObject(failureOf(400, 'invalid_request', 'cursor'));
    }
  });

  test(`${key}: a page holds 20 by default, and never more than 100`, async (service) => {
    await filled(service, list, 104);
    expect((await page(service, list, {})).data).toHaveLength(20);

    for (const page_size of [100, 101, 999_999_999_999]) {
      const { data, meta } = await page(service, list, { page_size });
      expect(data).toHaveLength(100);
      expect(meta.next).not.toBeNull();
    }
  });
});

test.eachWith([
  ['GET /users', 'user', 'business'],
  ['GET /businesses', 'business', 'user'],
] as const)('%s: finds by external id, exactly, and only its own kind', async (service, key, own, other) => {
  const create = { user: 'POST /users', business: 'POST /businesses' } as const;
  const { body } = await service.call(create[own], { headers: { 'x-external-id': 'customer-1' } });
  await service.call(create[other], { headers: { 'x-external-id': 'customer-2' } });
  await service.call(create[own], { headers: { 'x-external-id': 'customer-11' } });
  const find = (external_id: string, as?: string) =>
    service.call(key, { query: { external_id }, ...(as !== undefined && { as }) });

  expect((await find('customer-1')).body).toEqual({ data: [body], meta: { count: 1, next: null } });
  for (const absent of ['customer-2', 'customer', 'CUSTOMER-1', 'nobody', ' ']) {
    expect((await find(absent)).body, absent).toEqual({ data: [], meta: { count: 0, next: null } });
  }
  expect((await find('customer-1', LIVE_KEY)).body.data).toEqual([]);
});
