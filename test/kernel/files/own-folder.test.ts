/** The folders of an instance on a machine with other users. The tests with other owners need root. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireOwnFolder } from '../../../src/kernel/files/own-folder.ts';
import { makePrivateFolder } from '../../../src/kernel/files/private-folder.ts';
import { runCli } from '../../support/cli.ts';
import { ROOT } from '../../support/daemon.ts';

const SOMEBODY = 65_534;
const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('a folder among other users', () => {
  let top: string;
  const make = (name: string, mode: number) => {
    const path = join(top, name);
    mkdirSync(path, { recursive: true });
    chmodSync(path, mode);
    return path;
  };

  beforeEach(() => {
    // The system's temporary folder is sticky, which is permitted.
    top = mkdtempSync('/tmp/kyclone-test-');
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  test('requireOwnFolder: a private one is fine, also below a sticky folder that everybody writes to', () => {
    expect(() => requireOwnFolder(make('a', 0o700))).not.toThrow();
    expect(() => requireOwnFolder(make('b', 0o755))).not.toThrow();
    make('sticky', 0o1777);
    expect(() => requireOwnFolder(make('sticky/a', 0o700))).not.toThrow();
  });

  test('requireOwnFolder: one that others may write to is refused, sticky or not', () => {
    for (const mode of [0o777, 0o1777, 0o702]) {
      const path = make(`open-${mode}`, mode);
      expect(() => requireOwnFolder(path)).toThrow(
        `The folder ${path} can be written to by other users; chmod go-w`,
      );
    }
  });

  test('requireOwnFolder: one whose place others may give to another is refused, also by a link', () => {
    const open = make('open', 0o777);
    const inside = make('open/a/b', 0o700);
    expect(() => requireOwnFolder(inside)).toThrow(
      `The folder ${open}, in which ${inside} is, can be written to`,
    );
    symlinkSync(inside, join(top, 'link'));
    expect(() => requireOwnFolder(join(top, 'link'))).toThrow(open);
  });

  test('makePrivateFolder: makes none below such a folder and calls it its own', () => {
    make('open', 0o777);
    expect(() => makePrivateFolder(join(top, 'open', 'state'))).toThrow('can be written to by other users');
    makePrivateFolder(join(top, 'fine', 'state'));
  });

  test.skipIf(!isRoot)(
    'requireOwnFolder: one of another user is refused; one of the user’s own group is not',
    () => {
      const path = make('theirs', 0o700);
      chownSync(path, SOMEBODY, SOMEBODY);
      expect(() => requireOwnFolder(path)).toThrow(`The folder ${path} belongs to another user`);
      const shared = make('shared', 0o770);
      chownSync(shared, 0, 4);
      expect(() => requireOwnFolder(shared)).toThrow('can be written to by other users');
      chownSync(shared, 0, 0);
      expect(() => requireOwnFolder(shared)).not.toThrow();
    },
  );

  test.skipIf(!isRoot)(
    'requireOwnFolder: a user who is not root trusts root’s folders above, and nobody else’s',
    () => {
      chmodSync(top, 0o755);
      const judge = (path: string) =>
        spawnSync(
          process.execPath,
          [
            '--import',
            'tsx',
            '-e',
            `import('${join(ROOT, 'src/kernel/files/own-folder.ts')}').then((m) => m.requireOwnFolder(process.argv[1]))`,
            path,
          ],
          {
            cwd: ROOT,
            uid: SOMEBODY,
            gid: SOMEBODY,
            encoding: 'utf8',
            env: { PATH: process.env['PATH'], HOME: '/' },
          },
        );
      const own = make('own', 0o700);
      chownSync(own, SOMEBODY, SOMEBODY);
      expect(judge(own)).toMatchObject({ status: 0 });
      const above = make('above', 0o755);
      const below = make('above/own', 0o700);
      chownSync(below, SOMEBODY, SOMEBODY);
      chownSync(above, 1, 1);
      expect(judge(below).stderr).toContain('belongs to another user');
    },
  );

  test('start: a key file in a folder that others may write to is refused (it was made there)', async () => {
    const keys = make('keys', 0o777);
    const argv = ['start', '-d', '--port', '0', '--key-file', join(keys, 'vault.key')];
    const refused = await runCli(argv, { home: top });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`The folder ${keys} can be written to by other users`);
    chmodSync(keys, 0o755);
    expect((await runCli(argv, { home: top })).code).toBe(0);
    await runCli(['stop'], { home: top });
  });

  test('start: the log is written through no link', async () => {
    make('state/default', 0o700);
    const other = join(top, 'other');
    symlinkSync(other, join(top, 'state', 'default', 'daemon.log'));
    expect((await runCli(['start', '-d', '--ephemeral', '--port', '0'], { home: top })).code).not.toBe(0);
    expect(existsSync(other)).toBe(false);
  });

  test.each([
    ['start', ['start', '-d', '--ephemeral', '--port', '0']],
    ['config set', ['config', 'set', 'egress.policy', 'strict']],
  ])('%s: a KYCLONE_HOME that others may write to is refused by name (it was used)', async (_, argv) => {
    chmodSync(top, 0o777);
    const refused = await runCli(argv, { home: top });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`${top}, in which`);
    chmodSync(top, 0o700);
    expect((await runCli(argv, { home: top })).code).toBe(0);
    await runCli(['stop'], { home: top });
  });
});
