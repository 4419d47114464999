import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkNode } from '../../../src/cli/commands/doctor.ts';
import { checkPaths } from '../../../src/cli/doctor/state.ts';
import { instancePaths, pathBases } from '../../../src/kernel/files/paths.ts';
import { tempDir } from '../../support/temp-dir.ts';

test.each([
  ['20.17.0', 'ok'],
  ['20.16.9', 'fail'],
  ['18.20.0', 'fail'],
  ['22.0.0', 'ok'],
])('checkNode: %s is %s', (version, outcome) => {
  expect(checkNode(version).outcome).toBe(outcome);
});

test('checkPaths: what does not exist yet can be made', () => {
  using home = tempDir();
  const paths = instancePaths(pathBases({ KYCLONE_HOME: home.path }, 'linux', home.path), 'default');
  expect(checkPaths(paths).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
});

test('checkPaths: a folder that is open to others fails, with what to do', () => {
  using home = tempDir();
  const paths = instancePaths(pathBases({ KYCLONE_HOME: home.path }, 'linux', home.path), 'default');
  mkdirSync(paths.dataDirectory, { recursive: true });
  chmodSync(join(paths.dataDirectory), 0o755);
  const check = checkPaths(paths).find(({ name }) => name === 'data folder');
  expect(check).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining('chmod go-rwx') as string,
  });
});
