import { expect, test } from 'vitest';
import { INSTANCE_NAME, instancePaths, pathBases } from '../../../src/kernel/files/paths.ts';

const HOME = '/home/jane';

test('pathBases: follow the folders of the platform', () => {
  expect(pathBases({}, 'linux', HOME)).toEqual({
    data: '/home/jane/.local/share/kyclone',
    state: '/home/jane/.local/state/kyclone',
    config: '/home/jane/.config/kyclone',
  });
  expect(
    pathBases({ XDG_DATA_HOME: '/d', XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c' }, 'linux', HOME),
  ).toEqual({ data: '/d/kyclone', state: '/s/kyclone', config: '/c/kyclone' });
  expect(pathBases({}, 'darwin', HOME).data).toBe('/home/jane/Library/Application Support/kyclone/data');
});

test('pathBases: KYCLONE_HOME puts everything below one folder, on every platform', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    expect(pathBases({ KYCLONE_HOME: '/k', XDG_DATA_HOME: '/d' }, platform, HOME)).toEqual({
      data: '/k/data',
      state: '/k/state',
      config: '/k/config',
    });
  }
});

test('instancePaths: the key is apart from the data, and instances apart from each other', () => {
  const bases = pathBases({ KYCLONE_HOME: '/k' }, 'linux', HOME);
  const [one, two] = [instancePaths(bases, 'one'), instancePaths(bases, 'two')];

  expect(one.storeFile.startsWith(`${one.dataDirectory}/`)).toBe(true);
  expect(one.vaultKeyFile.startsWith(one.dataDirectory)).toBe(false);
  // The snapshot key belongs to the user, so that one instance can open a snapshot of another.
  const { snapshotKeyFile, ...own } = one;
  expect(two.snapshotKeyFile).toBe(snapshotKeyFile);
  for (const [name, path] of Object.entries(own)) expect(Object.values(two), name).not.toContain(path);
});

test.each([
  ['default', true],
  ['a', true],
  ['0.a_b-c', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['', false],
  ['.', false],
  ['..', false],
  ['.hidden', false],
  ['a/b', false],
  ['Upper', false],
  ['a b', false],
  ['a\n', false],
])('INSTANCE_NAME: %j: %j', (name, expected) => {
  expect(INSTANCE_NAME.test(name)).toBe(expected);
});
