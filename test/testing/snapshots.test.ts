import { expect, test } from 'vitest';
import { startKyclone, type Kyclone } from '../../src/testing/index.ts';

const NOON = '2026-01-31T12:00:00.000Z';

const aUser = async (kyclone: Kyclone) => (await kyclone.client.call('POST /users', { body: {} })).id;
const users = async (kyclone: Kyclone) =>
  (await kyclone.client.call('GET /users')).data.map(({ id }) => id).sort();
const trigger = (kyclone: Kyclone) =>
  kyclone.client.call('POST /_kyclone/events/trigger', { body: { kind: 'onboarding.completed' } });

test('snapshot: restores users, clock and faults, and may be restored again', async () => {
  await using kyclone = await startKyclone({ clock: NOON });
  const kept = await aUser(kyclone);
  await kyclone.faults.add('down', { path: '/businesses' });
  const snapshot = await kyclone.snapshot();
  for (let time = 1; time <= 2; time++) {
    await aUser(kyclone);
    await kyclone.clock.advance('1d');
    await kyclone.faults.clear();
    await snapshot.restore();
    expect(await users(kyclone)).toEqual([kept]);
    expect((await kyclone.clock.now()).toISOString()).toBe(NOON);
    expect((await kyclone.faults.list()).map(({ match }) => match.path)).toEqual(['/businesses']);
  }
  expect(kyclone.apiKey).toMatch(/^sk_test_/);
  expect(await aUser(kyclone)).toMatch(/^fp_id_/);
});

test('snapshot: an event that was handed out after it is new again', async () => {
  await using kyclone = await startKyclone();
  const { id: old } = await trigger(kyclone);
  const { id: kept } = await trigger(kyclone);
  expect((await kyclone.waitFor('*')).id).toBe(old);
  const snapshot = await kyclone.snapshot();
  expect((await kyclone.waitFor('*')).id).toBe(kept);
  await snapshot.restore();
  expect((await kyclone.waitFor('*')).id).toBe(kept);
});

test('snapshot: exists after a reset, and not after its deletion', async () => {
  await using kyclone = await startKyclone();
  const kept = await aUser(kyclone);
  const [one, other] = [await kyclone.snapshot(), await kyclone.snapshot('mine')];
  expect(one.name).not.toBe(other.name);
  expect(other.name).toBe('mine');
  await kyclone.reset();
  expect(await users(kyclone)).toEqual([]);
  await one.restore();
  expect(await users(kyclone)).toEqual([kept]);
  await one.delete();
  await expect(one.restore()).rejects.toMatchObject({ name: 'ApiError', status: 404 });
  await other.restore();
  await expect(kyclone.snapshot('mine')).rejects.toMatchObject({ status: 409 });
  await expect(kyclone.snapshot('No Name')).rejects.toMatchObject({ name: 'ApiError' });
});
