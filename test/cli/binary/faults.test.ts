/** `kyclone faults`, with the real binary and the real daemon. */
import { afterEach, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const daemon = useDaemon();
const { run: faults } = cliIn(() => daemon().home, 'faults');
const status = async (path: string) => (await fetch(daemon().url + path)).status;

afterEach(async () => {
  await faults('clear');
});

describe('faults', () => {
  test('faults create: the rule applies at once, and is shown', async () => {
    const added = await faults('add --method GET --path /users --status 503 --times 2');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(
      /requests {6}GET \/users\nwhat happens {2}503 fault_injected\nstate {9}2 of 2 left\n$/,
    );
    expect([await status('/users'), await status('/playbooks')]).toEqual([503, 404]);
    const listed = await faults('list');
    expect(listed.stdout).toMatch(/1 of 2 left +1 +GET \/users/);
  });

  test.each([
    ...[
      ['/users'],
      ['/users/*'],
      ['/users/fp_id_1/vault'],
      ['/**/vault'],
      ['/**'],
      ['--method', 'HEAD', '/users'],
    ],
  ])('faults create: %s matches endpoints', async (...path) => {
    const flags = [...path.slice(0, -1), '--path', path.at(-1) ?? ''];
    expect(await faults(['create', '--status', '503', ...flags])).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ...[
      ['/user'],
      ['/v1/**'],
      ['/users/*/vaults'],
      ['/_kyclone/**'],

      ['--method', 'PUT', '/users'],
    ],
  ])('faults create: %s matches none, which is a warning', async (...path) => {
    const flags = [...path.slice(0, -1), '--path', path.at(-1) ?? ''];
    const created = await faults(['create', '--status', '503', ...flags]);
    expect(created).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Warning: no endpoint') as string,
    });
  });

  test("faults create: a preset, changed by flags, prints the API's body under --json", async () => {
    const added = jsonOf(await faults('add --preset flaky --probability 100% --latency 1ms --json'));
    expect(added).toMatchObject({
      match: { path: '/**' },
      ...{ status: 500, probability: 1, latency_ms: 1, hits: 0, enabled: true },
    });
    expect(await status('/users')).toBe(500);
    expect((await faults('list')).stdout.replace(/\s+/g, ' ')).toContain(
      '500 fault_injected after 1ms, for 100 %',
    );
  });

  test('faults delete: the rules that are named, or all', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push(String(jsonOf(await faults('add --preset down --json'))['id']));
    expect(await faults(['clear', ids[0] ?? ''])).toEqual({
      code: 0,
      stdout: 'The fault rule is deleted\n',
      stderr: '',
    });
    expect((await faults(['clear', ids[0] ?? ''])).code).toBe(6);
    expect(jsonOf(await faults('list --json'))['meta']).toEqual({ count: 2, next: null });
    expect(await faults('clear')).toEqual({ code: 0, stdout: 'All fault rules are deleted\n', stderr: '' });
    expect((await faults('list')).stdout).toBe('No fault rules\n');
  });

  test('faults presets: are listed without a daemon', async () => {
    const options = { home: daemon().home, environment: { KYCLONE_INSTANCE: 'nobody' } };
    const shown = await runInProcess(['faults', 'presets'], options);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^rate-limited +every request is refused with 429/m);
    const names = JSON.parse((await runInProcess(['faults', 'presets', '--json'], options)).stdout) as {
      name: string;
    }[];
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['slow', 'flaky', 'down', 'timeout']),
    );
  });

  test.each([
    [['add'], 2],
    [['add', '--path', '/users'], 2],
    [['add', '--status', '200'], 2],
    [['add', '--status', '500', '--probability', '0'], 2],
    [['add', '--status', '500', '--latency', '219-09-9999'], 2],
    [['add', '--preset', '219-09-9999'], 2],
    [['add', '--status', '500', '--path', '219-09-9999'], 7],
    [['add', '--latency', '2m'], 7],
  ])('faults %j: ends with %i and quotes nothing', async (argv, code) => {
    const ended = await faults([...argv, '--json']);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).not.toContain('219-09');
    expect(JSON.parse(ended.stderr)).toMatchObject({ exit_code: code });
  });
});
