/** `kyclone inspect` without a terminal: the real binary prints the screen once. */
import { beforeAll, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { refusal, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { ask } from '../../support/example-world.ts';

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

test('inspect --tenant: names the tenant first, and shows its people only', async () => {
  const run = (...argv: string[]) =>
    runInProcess(argv, { home: daemon().home, environment: { KYCLONE_API_KEY: key } });
  let key = '';
  key = (await run('keys', 'create', '--name', 'jane', '--tenant', 'jane', '--field', 'key')).stdout.trim();
  const address = { KYCLONE_BASE_URL: daemon().url, KYCLONE_API_KEY: key };
  const there = { home: daemon().home, environment: address };
  const created = await runInProcess(['users', 'create', '--output', 'id'], there);
  const hers = created.stdout.trim();

  const { stdout } = await run('inspect', '--tenant', 'jane', '--once');
  expect(stdout.split('\n')[0]).toBe('tenant jane');
  expect(stdout).toContain(hers);
  expect(stdout).not.toContain(user);
  expect(await run('inspect', '--tenant', 'jane', '--once', '--user', hers)).toMatchObject({ code: 0 });
  expect(await inspect('--once', '--tenant', 'jane')).toMatchObject(refusal(2, '--tenant needs a key'));
  expect((await inspect('--once', '--tenant', 'default')).stdout).toMatch(/^USER/);
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

test.each(['fp_id_0000000000000000000000', `x${CANARY}`])(
  'inspect: an unknown id or external id exits with 6, and is not repeated (%s)',
  async (id) => {
    const { code, stdout, stderr } = await inspect('--user', id);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toMatch(/^Error: /);
    expect(stderr).not.toContain(CANARY);
  },
);
