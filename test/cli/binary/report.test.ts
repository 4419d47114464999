/**
 * `kyclone report` through the real binary: about a running instance, about one that has ended, and where it may write.
 */
import { readdirSync, readFileSync, statSync, symlinkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusal, runInProcess } from '../../support/cli-in-process.ts';
import { tempDir } from '../../support/temp-dir.ts';

function reportHome() {
  const folder = tempDir();
  const run = (...argv: string[]) => runInProcess(argv, { home: folder.path });
  return {
    path: folder.path,
    run,
    read: (...names: string[]) => readFileSync(join(folder.path, ...names), 'utf8'),
    async [Symbol.asyncDispose]() {
      await run('stop');
      folder[Symbol.dispose]();
    },
  };
}

test('report: what exec --report has, of an instance that runs, and the log alone once it has stopped', async () => {
  await using home = reportHome();
  expect((await home.run('report', 'none')).code).toBe(5);
  expect(readdirSync(home.path)).not.toContain('none');

  await home.run('start', '--detach', '--ephemeral', '--port', '0');
  expect((await home.run('users', 'create', 'id.dob=Canary')).code).not.toBe(0);
  const shown = await home.run('report', 'kept');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(
    /^The report is in .*kept\nThe last failed requests:\n.* 400 {2}POST \/users /,
  );
  const { stdout } = await home.run('report', 'kept', '--json');
  const { files } = JSON.parse(stdout) as { files: string[] };
  expect(files).toContain('deliveries.json');
  expect(readdirSync(join(home.path, 'kept')).sort()).toEqual(files.sort());
  for (const name of files) {
    expect(statSync(join(home.path, 'kept', name)).mode & 0o777, name).toBe(0o600);
    expect(home.read('kept', name)).not.toMatch(/Canary|sk_test_|sk_live_/);
  }
  expect(JSON.parse(home.read('kept', 'report.json'))).toMatchObject({
    command: null,
    exit_code: null,
    missing_because: null,
    failed_requests: [{ path: '/users', status: 400 }],
  });

  await home.run('stop');
  const late = await home.run('report', 'late');
  expect(late).toMatchObject({ code: 5, stdout: '' });
  expect(late.stderr).toContain('; the log is in ');
  expect(home.read('late', 'daemon.log')).toContain('"event":"stopped"');
  expect(JSON.parse(home.read('late', 'report.json'))).toMatchObject({
    missing_because: expect.any(String) as string,
  });
});

test('report: a link and an empty name are refused in the words of the argument', async () => {
  await using home = reportHome();
  mkdirSync(join(home.path, 'there'));
  symlinkSync('there', join(home.path, 'link'));
  for (const [given, words] of [
    ['link', 'FOLDER names a link'],
    ['', 'FOLDER is empty'],
  ] as const) {
    expect(await home.run('report', given)).toMatchObject(refusal(2, words));
  }
  expect(readdirSync(join(home.path, 'there'))).toEqual([]);
});
