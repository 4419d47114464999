import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownMark } from '../../src/kernel/program/processes.ts';
import { startKyclone, type Kyclone } from '../../src/testing/index.ts';
import { tempPath as tempDir } from '../support/temp-dir.ts';

const names = async (kyclone: Kyclone) =>
  (await kyclone.client.call('GET /users')).data.map((user) => user.external_id).sort();

function fixture(text: string): string {
  const file = join(tempDir(), 'people.yaml');
  writeFileSync(file, text);
  return file;
}
const person = (externalId: string) =>
  fixture(`steps:\n  - { call: POST /users, headers: { x-external-id: ${externalId} } }\n`);

test('fixtures: are applied at the start, and again after each reset', async () => {
  const fixtures = [person('jane-1'), person('john-1')];
  await using kyclone = await startKyclone({ fixtures });
  expect(await names(kyclone)).toEqual(['jane-1', 'john-1']);
  await kyclone.client.call('POST /users', { headers: { 'x-external-id': 'jim-99' } });
  await kyclone.reset();
  expect(await names(kyclone)).toEqual(['jane-1', 'john-1']);
  await kyclone.reset({ hard: true });
  expect(await names(kyclone)).toEqual(['jane-1', 'john-1']);
});

test('fixtures: with a seed have the same ids each time', async () => {
  await using kyclone = await startKyclone({ seed: 'seven', fixtures: [person('jane-1')] });
  const first = await kyclone.client.call('GET /users');
  await kyclone.reset();
  expect(await kyclone.client.call('GET /users')).toEqual(first);
});

test.each([
  ['no fixture', 'steps: 7', 'fixture_invalid'],
  ['a call that fails', 'steps:\n  - { call: GET /users/fp_id_none }', 'fixture_failed'],
  ['a variable that nobody gives', 'steps:\n  - { call: "GET /users/${var.whom}" }', 'fixture_'],
])('fixtures: %s refuses the start with a FixtureError and leaves nothing behind', async (_, text, code) => {
  const folders = () =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`kyclone-testing-${ownMark()}`));
  const before = folders();
  const refused = startKyclone({ fixtures: [fixture(text)] });
  await expect(refused).rejects.toMatchObject({
    name: 'FixtureError',
    code: expect.stringContaining(code) as string,
  });
  expect(folders()).toEqual(before);
});

test('fixtures: take the variables of set, give their outputs to later ones and to the test, anew after a reset', async () => {
  const first = `vars: { NAME: null }\nsteps:\n  - { id: one, call: POST /users, headers: { x-external-id: '\${set.NAME}' } }\noutputs: { jane_id: '\${one.id}' }`;
  const second = `vars: { jane_id: null }\nsteps:\n  - { call: 'GET /users/\${set.jane_id}' }\noutputs: { seen: yes }`;
  await using kyclone = await startKyclone({
    fixtures: [fixture(first), fixture(second)],
    set: { NAME: 'jane-1' },
  });
  expect(await names(kyclone)).toEqual(['jane-1']);
  const ids = async () => (await kyclone.client.call('GET /users')).data.map(({ id }) => id);
  expect(kyclone.outputs).toEqual({ jane_id: (await ids())[0], seen: 'yes' });
  await kyclone.reset();
  expect(kyclone.outputs['jane_id']).toBe((await ids())[0]);
  const refused = startKyclone({ fixtures: [fixture(first)], set: { NAME: 'a', LAST: 'b' } });
  await expect(refused).rejects.toThrow('Option set: no fixture declares LAST under vars');
  await expect(startKyclone({ set: { NAME: 7 } as never })).rejects.toMatchObject({ code: 'invalid_option' });
});

test('fixtures: a missing file, and an invalid list', async () => {
  await expect(startKyclone({ fixtures: ['/nowhere/people.yaml'] })).rejects.toMatchObject({
    code: 'fixture_unreadable',
  });
  await expect(startKyclone({ fixtures: 'people.yaml' as never })).rejects.toThrow(
    'Option fixtures must be a list of paths of files',
  );
});
