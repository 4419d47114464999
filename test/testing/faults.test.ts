import { expect, test } from 'vitest';
import { startKyclone, type NewFault } from '../../src/testing/index.ts';

test('faults: a rule applies to every call unless it says otherwise', async () => {
  await using kyclone = await startKyclone();
  const { client, faults } = kyclone;
  const rule = await faults.add({ status: 503, times: 1 });
  expect(rule.match).toEqual({ path: '/**' });
  await expect(client.call('GET /users')).rejects.toMatchObject({ status: 503, code: 'fault_injected' });
  await client.call('GET /users');
  await faults.add({ status: 500, match: { path: '/users', method: 'POST' } }, { path: '/businesses' });
  await client.call('POST /users');
  await client.call('GET /businesses');
  await expect(client.call('POST /businesses')).rejects.toMatchObject({ status: 500 });
});

test('faults: a preset that there is not is refused with the names of those there are', async () => {
  await using kyclone = await startKyclone();
  const add = async () => kyclone.faults.add('dwon');
  await expect(add()).rejects.toMatchObject({ name: 'KycloneError', code: 'invalid_option' });
  await expect(add()).rejects.toThrow(/there are slow, flaky, hiccup, down/);
});

test('faults: are listed, all of them, and cleared, one or all; a reset clears them too', async () => {
  await using kyclone = await startKyclone();
  const { faults } = kyclone;
  const rules: NewFault[] = Array.from({ length: 101 }, (_, index) => ({
    status: 500,
    match: { path: `/users/${index}` },
  }));
  const added = [];
  for (const rule of rules) added.push((await faults.add(rule)).id);
  expect((await faults.list()).map(({ id }) => id).sort()).toEqual([...added].sort());
  await faults.clear(added[0]);
  expect(await faults.list()).toHaveLength(100);
  await faults.clear();
  expect(await faults.list()).toEqual([]);
  await faults.add('down');
  await kyclone.reset();
  expect(await faults.list()).toEqual([]);
});
