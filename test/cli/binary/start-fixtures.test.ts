/**
 * Fixtures that run when an instance starts, through the real binary: which ones run, and what happens after one fails.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf, spawnCli } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { until } from '../../support/patience.ts';

const userStep = (status: number) => `  - call: POST /users
    body: { id.first_name: "\${set.FIRST}" }
    expect: { status: ${status} }
`;
const GOOD = `vars: { FIRST: Jane }\nsteps:\n${userStep(200)}`;
const BAD = `${GOOD}${userStep(201)}`;

/** Makes a folder with a project; its instance is stopped at the end. */
function project(config: string) {
  const folder = tempDir();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const run = (...argv: string[]) =>
    runInProcess(argv, { home: folder.path, environment: { TMPDIR: folder.path } });
  write('kyclone.config.yaml', `instance: shop\n${config}`);
  write('good.yaml', GOOD);
  write('bad.yaml', BAD);
  return {
    path: folder.path,
    write,
    run,
    users: async () => (jsonOf(await run('users', 'list', '--json'))['data'] as unknown[]).length,
    async [Symbol.asyncDispose]() {
      await run('stop');
      folder[Symbol.dispose]();
    },
  };
}

const FAILED = /bad\.yaml, step 2 \(POST \/users\): expected 201, got 200\n.*: /;

test('start -d: a fixture that fails ends it with 1, the instance is stopped again, and no journal is named', async () => {
  await using shop = project('ephemeral: true\n');
  const failed = await shop.run('start', '-d', '--fixture', 'bad.yaml');
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(FAILED);
  expect(failed.stderr).toContain('the instance was stopped again');
  expect(failed.stderr).not.toContain('journal');
  expect((await shop.run('status')).code).toBe(5);
});

test('start: in the foreground a fixture that fails ends the daemon, too', async () => {
  await using shop = project('ephemeral: true\n');
  const failed = await shop.run('start', '--fixture', 'bad.yaml', '--json');
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  const report = failed.stderr.trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(report)).toMatchObject({ code: 'fixture_failed', exit_code: 1 });
  expect((await shop.run('status')).code).toBe(5);
});

test('start: a Ctrl-C while fixtures run stops the daemon, and is no failure of theirs', async () => {
  await using shop = project('ephemeral: true\n');
  shop.write(
    'waits.yaml',
    `steps:
  - call: POST /_kyclone/faults
    body: { match: { path: /users }, latency_ms: 60000 }
  - call: GET /users
`,
  );
  const { child, output, ended } = spawnCli(['start', '--fixture', 'waits.yaml'], { home: shop.path });
  await until('the first step has run', () => output.stderr.includes('/_kyclone/faults'));
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect([code, child.signalCode]).toEqual([0, null]);
  expect(stderr).not.toContain('Error');
  expect((await shop.run('status')).code).toBe(5);
});

test('start -d: a lasting instance is reset after its fixtures failed', async () => {
  await using shop = project('fixtures: [bad.yaml]\n');
  expect((await shop.run('start', '-d')).code).toBe(1);
  shop.write('bad.yaml', GOOD);
  expect(await shop.run('start', '-d')).toMatchObject({ code: 0 });
  expect(await shop.users()).toBe(1);
  await shop.run('stop');
  // After this start the instance isn't empty.
  expect(await shop.run('start', '-d')).toMatchObject({ code: 0 });
  expect(await shop.users()).toBe(1);
});

test('start -d: leaves a running instance unchanged, and a note says so', async () => {
  await using shop = project('ephemeral: true\n');
  expect(await shop.run('start', '-d', '--fixture', 'good.yaml')).toMatchObject({ code: 0 });
  const again = await shop.run('start', '-d', '--fixture', 'good.yaml');
  expect(again).toMatchObject({ code: 0 });
  expect(again.stderr).toContain('no fixture was run');
  expect(await shop.users()).toBe(1);
});

test('exec: a fixture that fails ends it with 1 before the command, and nothing is left', async () => {
  await using shop = project('');
  const failed = await shop.run('exec', '--fixture', 'bad.yaml', '--', 'touch', 'ran');
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(FAILED);
  expect(failed.stderr).toContain('the command was not run');
  expect(existsSync(join(shop.path, 'ran'))).toBe(false);
  expect(readdirSync(shop.path).filter((name) => name.startsWith('kyclone-exec-'))).toEqual([]);
});

test.each([
  ['a file that is not there', ['--fixture', 'none.yaml'], 2],
  ['a variable that no fixture has', ['--fixture', 'good.yaml', '--fixture-set', 'LAST=x'], 2],
  ['a variable that nobody gives', ['--fixture', 'needs.yaml'], 3],
])('exec, start: %s is reported before anything starts', async (_what, flags, code) => {
  await using shop = project('ephemeral: true\n');
  shop.write('needs.yaml', 'vars: { FIRST: null }\nsteps: [{ call: GET /users }]\n');
  const begun = await shop.run('start', '-d', ...flags);
  expect(begun).toMatchObject({ code, stdout: '' });
  expect(begun.stderr).toContain('nothing was started');
  if (code === 3) expect(begun.stderr).toContain('set it with --fixture-set NAME=VALUE');
  expect(await shop.run('exec', ...flags, '--', 'echo', 'ran')).toMatchObject({ code, stdout: '' });
});

test('exec: --fixture-set wins over the project’s set', async () => {
  await using shop = project('fixtures: [good.yaml]\nset: { FIRST: Jo }\n');
  shop.write(
    'good.yaml',
    `vars: { FIRST: null }\nsteps:\n  - { id: jane, call: POST /users, body: { id.first_name: "\${set.FIRST}" } }\n  - call: POST /users/\${jane.id}/vault/decrypt\n    body: { fields: [id.first_name], reason: x }\n    expect: { body: { id.first_name: Zoe } }\n`,
  );
  expect((await shop.run('exec', '--', process.execPath, '-e', '0')).code).toBe(1);
  const ran = await shop.run('exec', '--fixture-set', 'FIRST=Zoe', '--', process.execPath, '-e', '0');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
});

test('exec: the command finds the outputs of fixtures in its environment, and those of no other instance', async () => {
  await using shop = project('');
  shop.write(
    'people.yaml',
    `steps:\n  - { id: jane, call: POST /users, body: { custom.n: 1 } }\noutputs: { jane_id: "\${jane.id}", whole: "\${jane}" }\n`,
  );
  shop.write(
    'show.cjs',
    `const outputs = Object.entries(process.env).filter(([name]) => name.startsWith('KYCLONE_OUT_'));
require('node:fs').writeFileSync('outputs.json', JSON.stringify(Object.fromEntries(outputs)));`,
  );
  const show = [process.execPath, join(shop.path, 'show.cjs')];
  const shown = () =>
    JSON.parse(readFileSync(join(shop.path, 'outputs.json'), 'utf8')) as Record<string, string>;
  const fill = ['exec', '--fixture', 'people.yaml', '--'];
  expect(await shop.run(...fill, ...show)).toMatchObject({ code: 0, stderr: '' });
  expect(Object.keys(shown()).sort()).toEqual(['KYCLONE_OUT_JANE_ID', 'KYCLONE_OUT_WHOLE']);
  expect(JSON.parse(shown()['KYCLONE_OUT_WHOLE'] ?? '')).toMatchObject({
    id: shown()['KYCLONE_OUT_JANE_ID'],
  });

  const inside = [process.execPath, join(ROOT, 'bin/kyclone.js'), 'exec', '--', ...show];
  expect(await shop.run(...fill, ...inside)).toMatchObject({ code: 0, stderr: '' });
  expect(shown()).toEqual({});
});
