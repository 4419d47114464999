/** `kyclone inspect` without a terminal: the real binary prints the screen once. */
import { beforeAll, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { ask } from '../../support/example-world.ts';
import { tempDir } from '../../support/temp-dir.ts';

const CANARY = 'Zanzibar4711';
const HINT = 'Printed once: the interactive screen needs a terminal\n';
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/;

const daemon = useDaemon();
let user: string;
beforeAll(async () => {
  user = (await ask(daemon(), 'POST', '/users', { 'id.first_name': CANARY, 'id.last_name': CANARY })).id;
});

const inspect = (...argv: string[]) => runInProcess(['inspect', ...argv], { home: daemon().home });

test('inspect: without a terminal a table, a hint on stderr, and 0', async () => {
  const { code, stdout, stderr } = await inspect();
  expect({ code, stderr }).toEqual({ code: 0, stderr: HINT });
  expect(stdout.split('\n')[0]).toMatch(/^USER +NAME +STATUS +CREATED \(UTC\) +LAST ACTIVITY \(UTC\)$/);
  expect(stdout).toContain(user);
  expect(stdout).not.toContain(CANARY);
  expect(stdout).not.toMatch(CONTROL);
});

test('inspect --once: prints no hint', async () => {
  const { code, stdout, stderr } = await inspect('--once', '--screen', 'businesses');
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'No businesses\n', stderr: '' });
});

test('inspect --linear: needs a terminal, too', async () => {
  expect(await inspect('--linear')).toMatchObject({ code: 0, stderr: HINT });
});

test('inspect --json: the screen as an object; --field prints of it', async () => {
  const ran = await inspect('--json', '--user', user);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const { screen, panes } = jsonOf(ran) as { screen: string; panes: { title: string }[] };
  expect(screen).toBe('entity');
  const titles = await inspect('--field', 'panes[].title', '--user', user);
  expect(titles).toMatchObject({ code: 0, stderr: '' });
  expect(titles.stdout.trimEnd().split('\n')).toEqual(panes.map(({ title }) => title));
  expect(ran.stdout).not.toContain(CANARY);
});

test('inspect: an unknown user is not found, 6', async () => {
  const { code, stdout, stderr } = await inspect('--user', 'fp_id_0000000000000000000000');
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).toMatch(/^Error: /);
});

test('inspect: no daemon is unreachable, 5', async () => {
  using home = tempDir();
  const { code, stdout, stderr } = await runInProcess(['inspect', '--json'], { home: home.path });
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(JSON.parse(stderr)).toMatchObject({ code: 'daemon_unreachable', exit_code: 5 });
});

test('inspect: an unknown id or external id exits with 6, and is not repeated', async () => {
  const { code, stdout, stderr } = await inspect('--user', `x${CANARY}`);
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
  expect(stderr).not.toContain(CANARY);
});

test.each([
  ['an unknown screen', ['--screen', CANARY]],
  ['a user and a screen', ['--user', 'fp_id_0000000000000000000000', '--screen', 'users']],
  ['a dry run', ['--dry-run']],
])('inspect: %s is wrong usage, 2', async (_, argv) => {
  const { code, stdout, stderr } = await inspect(...argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toContain(CANARY);
});
