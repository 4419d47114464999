/**
 * What a snapshot restores or leaves out, and the state of the access log's anchor, as the real binary reports them.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { ask } from '../../support/example-world.ts';
import { tempDir } from '../../support/temp-dir.ts';
import '../../support/tier-all.ts';

const environment = { KYCLONE_SNAPSHOT_KEY: '5'.repeat(64) };
const cliOf =
  ({ home }: TestDaemon) =>
  (...argv: string[]) =>
    runInProcess(argv, { home, environment });
type Cli = ReturnType<typeof cliOf>;
const countEndpoints = async (cli: Cli) =>
  (jsonOf(await cli('webhooks', 'list', '--json'))['data'] as unknown[]).length;

test('snapshot load, delete: report restored and final deletions; --keep-revoked restores none', async () => {
  await using daemon = await startDaemon({ environment });
  const cli = cliOf(daemon);
  const id = String(jsonOf(await cli('users', 'create', 'id.first_name=Canary-71', '--json'))['id']);
  await cli('snapshot', 'create', 'before');
  await cli('users', 'delete', id, '--yes');

  const kept = await cli('snapshot', 'load', 'before', '--keep-revoked', '--yes');
  expect(kept).toMatchObject({ code: 0, stderr: '' });
  expect(kept.stdout).not.toContain('lives again');
  expect((await cli('users', 'get', id)).code).toBe(6);

  const loaded = await cli('snapshot', 'load', 'before', '--yes');
  expect(loaded.stdout).toContain('restored, although deleted or revoked since: 1 entity');
  expect((await cli('users', 'get', id)).code).toBe(0);

  await cli('users', 'delete', id, '--yes');
  const json = jsonOf(await cli('snapshot', 'load', 'before', '--keep-revoked', '--yes', '--json'));
  expect(json['revived']).toEqual({ entities: 0, tokens: 0, keys: 0 });
  const deleted = await cli('snapshot', 'delete', 'before', '--yes');
  expect(deleted.stdout).toBe(
    'Deleted. No other snapshot here can bring back what was deleted or revoked: 1 entity\n',
  );
});

test('snapshot load FILE, start --import: list the access in a file, and apply it only with --with-access', async () => {
  using folder = tempDir();
  const file = join(folder.path, 'people.kysnap');
  const settings = {
    egress: { policy: 'open' },
    cors: { origins: ['https://somebody.example'] },
    hosts: ['somebody.example'],
  };
  {
    await using there = await startDaemon({ environment });
    const cli = cliOf(there);
    const { id } = await ask(there, 'POST', '/users');
    await ask(there, 'PATCH', '/_kyclone/settings', settings);
    await ask(there, 'POST', '/_kyclone/webhooks', { url: 'http://127.0.0.1:9/secret-path' });
    await ask(there, 'POST', `/users/${id}/client_token`, { scope: 'decrypt', fields: ['id.first_name'] });
    expect((await cli('snapshot', 'create', file)).code).toBe(0);
  }
  const brought =
    '1 client token; webhooks to http://127.0.0.1:9; hosts somebody.example; ' +
    'origins https://somebody.example; egress policy open';
  const taken = `brought access, which is active now: 2 API keys; ${brought}`;

  await using here = await startDaemon({ environment });
  const cli = cliOf(here);
  const left = await cli('snapshot', 'load', file, '--yes');
  expect(left).toMatchObject({ code: 0 });
  expect(left.stderr).toContain(
    `The file also contains access, which was left behind (--with-access takes it in): ${brought}`,
  );
  expect(await countEndpoints(cli)).toBe(0);
  const withAccess = await cli('snapshot', 'load', file, '--with-access', '--yes');
  expect(withAccess.stderr).toContain(`The file ${taken}`);
  expect(await countEndpoints(cli)).toBe(1);
  await cli('snapshot', 'create', 'named');
  expect(await cli('snapshot', 'load', 'named', '--with-access', '--yes')).toMatchObject({ code: 2 });

  for (const more of [[], ['--with-access']]) {
    await using started = await startDaemon({ environment, options: ['--import', file, ...more] });
    const notices = started.notices.join('\n');
    expect(notices).toContain(
      more.length === 0
        ? `The file of --import also holds access, which was left behind: ${brought}. --with-access takes it in.`
        : `The file of --import ${taken}.`,
    );
    expect(await countEndpoints(cliOf(started))).toBe(more.length);
  }
});
