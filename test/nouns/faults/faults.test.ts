/** Fault rules: which rule applies, how often, and what remains of it. */
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  draw,
  createDelays,
  createFaults,
  type FaultRule,
  type Faults,
} from '../../../src/nouns/faults/service.ts';
import { FAULT_PRESETS } from '../../../src/nouns/faults/endpoints/presets.ts';
import type { RequestOf } from '../../../src/contract/registry.ts';
import { frozenClock } from '../../support/frozen-clock.ts';
import { handled } from '../../support/handled.ts';
import { segmentGlob } from '../../../src/kernel/text/text.ts';
import { createRandomness } from '../../../src/kernel/ids/random.ts';
import { createStream } from '../../../src/nouns/stream/service.ts';
import { openDatabase, type Database } from '../../../src/storage/database.ts';
import { createWriteQueue } from '../../../src/storage/writer.ts';
import { NOON, failureOf, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const ANSWER = { match: { path: '/users' }, status: 503 } as const;

const add = async (service: TestService, body: object): Promise<FaultRule> =>
  (await service.call('POST /_kyclone/faults', { body: body as never })).body;
const read = async (service: TestService, id: string): Promise<FaultRule> =>
  (await service.call('GET /_kyclone/faults/{id}', { params: { id } })).body;
const status = async (service: TestService, path = '/users', method = 'GET'): Promise<number> =>
  (await service.send({ method, path })).status;

describe('faults', () => {
  test.eachWith([
    [{ match: { path: '/users' } }, 'status'],
    [{ match: { path: 'users' }, status: 500 }, 'match.path'],
    [{ match: { path: '/users?x=1' }, status: 500 }, 'match.path'],
    [{ match: { path: '/users/fp_*' }, status: 500 }, 'match.path'],
  ])('faults: %j is refused, naming %s', async (service, body, named) => {
    const refusal = await service.refused('POST /_kyclone/faults', { body });
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
    expect(await status(service)).toBe(200);
  });

  test('faults: the oldest rule that matches applies, and it alone counts', async (service) => {
    const other = await add(service, { match: { path: '/businesses' }, status: 500 });
    const first = await add(service, ANSWER);
    const second = await add(service, { match: { path: '/**' }, status: 418 });
    expect(await status(service)).toBe(503);
    expect(await status(service, '/playbooks')).toBe(418);
    const hits = await Promise.all(
      [other, first, second].map(async ({ id }) => (await read(service, id)).hits),
    );
    expect(hits).toEqual([0, 1, 1]);
  });

  test('faults: times counts hits; a rule that is spent is disabled and stays in the list', async (service) => {
    const { id } = await add(service, { ...ANSWER, times: 2 });
    expect([await status(service), await status(service), await status(service)]).toEqual([503, 503, 200]);
    expect(await read(service, id)).toMatchObject({ hits: 2, enabled: false });
    expect((await service.call('GET /_kyclone/info')).body.faults).toBe(0);
  });

  test('faults: a rule for GET is for HEAD too, and one for HEAD for HEAD alone', async (service) => {
    const { id, match } = await add(service, { match: { method: 'GET', path: '/users' }, status: 503 });
    expect(match).toEqual({ method: 'GET', path: '/users' });
    expect([await status(service, '/users', 'HEAD'), await status(service)]).toEqual([503, 503]);
    await service.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    await add(service, { match: { method: 'HEAD', path: '/users' }, status: 503 });
    expect([await status(service, '/users', 'HEAD'), await status(service)]).toEqual([503, 200]);
  });

  test('faults: one is deleted, all are deleted, and an unknown one is 404', async (service) => {
    const [first] = [await add(service, ANSWER), await add(service, ANSWER), await add(service, ANSWER)];
    const params = { id: first.id };
    await service.call('DELETE /_kyclone/faults/{id}', { params });
    expect(await service.refused('DELETE /_kyclone/faults/{id}', { params })).toMatchObject({ status: 404 });
    expect((await service.call('GET /_kyclone/faults')).body.data).toHaveLength(2);
    await service.call('DELETE /_kyclone/faults');
    expect((await service.call('GET /_kyclone/faults')).body.data).toEqual([]);
    expect(await status(service)).toBe(200);
  });

  test('faults: a path with a segment in braces, as in the reference, is refused', async (service) => {
    const body = { match: { path: '/users/{fp_id}/vault' }, status: 500 };
    expect(await service.refused('POST /_kyclone/faults', { body })).toMatchObject({
      status: 400,
      message: 'match.path has {fp_id}: put a star in its place, as in /users/*',
    });
  });

  test('faults: the list continues after its page', async (service) => {
    const made = [];
    for (let n = 0; n < 5; n++) made.push((await add(service, ANSWER)).id);
    const first = (await service.call('GET /_kyclone/faults', { query: { page_size: 3 } })).body;
    const query = { page_size: 3, cursor: first.meta.next ?? '' };
    const second = (await service.call('GET /_kyclone/faults', { query })).body;
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made);
    expect(second.meta).toEqual({ count: 5, next: null });
  });

  test('reset: rules go, and are counted', async (service) => {
    await add(service, ANSWER);
    await add(service, ANSWER);
    const { deleted } = (await service.call('POST /_kyclone/reset', { body: {} })).body;
    expect(deleted).toMatchObject({ faults: 2 });
    expect(await status(service)).toBe(200);
    expect((await service.call('GET /_kyclone/faults')).body.meta.count).toBe(0);
  });

  test.eachWith(FAULT_PRESETS)(
    'presets: $name is a rule that the service takes',
    async (service, { rule }) => {
      expect(await add(service, { match: { path: '/nowhere' }, ...rule })).toMatchObject(rule);
    },
  );
});

/** Makes fault rules over a store, without the rest of the service. */
function rulesOver(database: Database) {
  const queue = createWriteQueue(database);
  const random = createRandomness();
  const faults = createFaults({
    queue,
    clock: frozenClock(NOON),
    random,
    stream: createStream({ firstId: 1 }),
  });
  const call = handled(faults.handlers);
  return {
    faults,
    create: (body: RequestOf<'POST /_kyclone/faults'>['body']) => call('POST /_kyclone/faults', { body }),
    get: (id: string) => call('GET /_kyclone/faults/{id}', { params: { id } }),
    async close() {
      await faults.flush();
      queue.close();
    },
  };
}
const asked = (faults: Faults, n = 0) =>
  faults.match({
    id: `req_${n}`,
    method: 'GET',
    isPreflight: false,
    segments: ['users'],
    shownPath: () => '/users',
  });

describe('faults in the store', () => {
  test('faults: a restart keeps rules, hits, and where the draws are', async () => {
    const body = { ...ANSWER, probability: 0.5, seed: 'monday' };
    const whole = rulesOver(openDatabase(':memory:'));
    await whole.create(body);
    const expected = Array.from({ length: 40 }, (_, n) => asked(whole.faults, n) !== undefined);
    await whole.close();

    const database = openDatabase(':memory:');
    const first = rulesOver(database);
    const { id } = await first.create(body);
    const before = Array.from({ length: 15 }, (_, n) => asked(first.faults, n) !== undefined);
    await first.close();
    const second = rulesOver(database);
    expect((await second.get(id)).hits).toBe(before.filter(Boolean).length);
    const after = Array.from({ length: 25 }, (_, n) => asked(second.faults, n) !== undefined);
    expect([...before, ...after]).toEqual(expected);
    expect(expected).toContain(true);
    expect(expected).toContain(false);
    await second.close();
  });

  test('faults: a rule that is spent is so after a restart', async () => {
    const database = openDatabase(':memory:');
    const first = rulesOver(database);
    await first.create({ ...ANSWER, times: 1 });
    expect(asked(first.faults)).toBeDefined();
    await first.close();
    const second = rulesOver(database);
    expect(second.faults.size).toBe(0);
    expect(asked(second.faults)).toBeUndefined();
    await second.close();
  });

  test('faults: a missed draw tries the next rule', async () => {
    const { faults, create, get, close } = rulesOver(openDatabase(':memory:'));
    const rare = await create({ ...ANSWER, probability: 0.000001, seed: 'never' });
    const next = await create(ANSWER);
    expect(asked(faults)?.id).toBe(next.id);
    expect((await get(rare.id)).hits).toBe(0);
    await close();
  });
});

describe('draw', () => {
  test('draw: a pure function of seed and number, from 0 up to 1', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), (seed, n) => {
        const drawn = draw(seed, n);
        expect(drawn).toBe(draw(seed, n));
        expect(drawn).toBeGreaterThanOrEqual(0);
        expect(drawn).toBeLessThan(1);
      }),
    );
  });

  test('draw: about as many fall below a probability as it says', () => {
    const below = Array.from({ length: 10_000 }, (_, n) => draw('a seed', n)).filter((drawn) => drawn < 0.2);
    expect(below.length).toBeGreaterThan(1_800);
    expect(below.length).toBeLessThan(2_200);
  });

  test('draw: other seeds draw otherwise', () => {
    const of = (seed: string) => Array.from({ length: 20 }, (_, n) => draw(seed, n));
    expect(of('a')).not.toEqual(of('b'));
  });
});

describe('segmentGlob', () => {
  const word = fc.constantFrom('a', 'b', 'users', 'vault', '*', '**');
  const plain = fc.constantFrom('a', 'b', 'users', 'vault');

  test('segmentGlob: agrees with a regular expression of the same meaning', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), fc.array(plain, { maxLength: 8 }), (pattern, path) => {
        const meaning = pattern.map((part) =>
          part === '**' ? '(?:[^/]+/)*' : part === '*' ? '[^/]+/' : `${part}/`,
        );
        const wanted = new RegExp(`^${meaning.join('')}$`).test(path.map((part) => `${part}/`).join(''));
        expect(segmentGlob(`/${pattern.join('/')}`)(path)).toBe(wanted);
      }),
    );
  });
});

test('delays: one that is cancelled, or stopped, leaves nothing behind', async () => {
  const delays = createDelays();
  const [gone, stopped, whole] = [delays.begin(60_000), delays.begin(60_000), delays.begin(0)];
  gone.cancel();
  expect([await gone.passed, await whole.passed, delays.size]).toEqual([false, true, 1]);
  delays.stop();
  expect([await stopped.passed, await delays.begin(60_000).passed, delays.size]).toEqual([false, false, 0]);
});
