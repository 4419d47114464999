/** What commands do beside their calls, with a real daemon; the matrix has what holds for all. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../../src/storage/binding.ts';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, refusal } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { tempDir } from '../../support/temp-dir.ts';

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home);

async function create(noun: 'users' | 'businesses', ...fields: string[]): Promise<string> {
  return String((await json([noun, 'create', ...fields]))['id']);
}

test('--field, --output id: without that part of the result, the failure names what was done', async () => {
  const made = await run(['users', 'create', '--field', 'nope']);
  expect(made).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no such member; done: POST /users\n') as string,
  });
  const id = await create('users');
  const read = await run(['users', 'get', id, '--field', 'nope']);
  expect(read.stderr).toMatch(/no such member\n/);
  const emptied = await run(['users', 'delete', id, '--yes', '--output', 'id']);
  expect(emptied).toMatchObject({ code: 0, stdout: '' });
});

describe('vault', () => {
  test('vault decrypt: control characters of a value reach no terminal', async () => {
    const id = await create('users', 'custom.note:="\\u001b]0;owned\\u0007"');
    const shown = await run(['vault', 'decrypt', id, 'custom.note', '--reason', 'test']);
    expect(shown.stdout).toBe('custom.note  \\x1b]0;owned\\x07\n');
  });

  test('vault get: without a control token the key sees the present identifiers', async () => {
    const id = await create('users', 'id.first_name=Jane');
    const environment = { KYCLONE_BASE_URL: daemon().url, KYCLONE_API_KEY: daemon().apiKey };
    expect(await json(['vault', 'get', id], { environment })).toEqual({ 'id.first_name': true });
  });

  test('vault delete: without identifiers and without --all nothing is deleted', async () => {
    const id = await create('users', 'id.first_name=Jane');
    expect((await run(['vault', 'delete', id, '--yes'])).code).toBe(2);
    expect((await run(['vault', 'delete', id, 'id.first_name', '--all', '--yes'])).code).toBe(2);
    expect(await json(['vault', 'get', id, 'id.first_name'])).toEqual({ 'id.first_name': true });
    expect(await json(['vault', 'delete', id, '--all', '--purge', '--yes'])).toEqual({
      'id.first_name': true,
    });
  });
});

describe('what cannot be undone', () => {
  test('reset --hard: needs --yes without a terminal, whatever stdin says', async () => {
    const id = await create('users', 'id.first_name=Jane');
    expect(await run(['reset', '--hard'], { stdin: 'y\n' })).toMatchObject({ code: 3, stdout: '' });
    expect(await json(['vault', 'get', id, 'id.first_name'])).toEqual({ 'id.first_name': true });
  });

  test('an ephemeral instance asks nothing', async () => {
    await using ephemeral = await startDaemon();
    const cli = cliIn(() => ephemeral.home);
    await cli.json(['users', 'delete', String((await cli.json('users create'))['id'])]);
    await cli.json('reset --hard --seed 42');
  });
});

describe('control plane', () => {
  test('users device: removes what is known of a device, and says what is wrong', async () => {
    const id = String((await json(['users', 'create', 'id.first_name=Jo']))['id']);
    await json(['users', 'device', id, '--device-id', 'device-1', '--ip-address', '203.0.113.7']);
    await json(['users', 'device', id, '--ip-address', 'none']);
    for (const [flags, why] of [
      [[], 'There is nothing to change'],
      [['--ip-address', '999.1.1.1'], '--ip-address takes an IPv4 or IPv6 address, or none'],
    ] as const) {
      expect(await run(['users', 'device', id, ...flags])).toMatchObject(refusal(2, why));
    }
  });

  test('keys list: shows no key', async () => {
    const listed = await run(['keys', 'list', '--environment', 'sandbox']);
    expect(listed.stdout).toContain(daemon().apiKey.slice(0, 12));
    expect(listed.stdout).not.toContain(daemon().apiKey);
  });

  test('keyring: slots come and go, the last one stays; a rotation counts', async () => {
    const before = await json(['keyring', 'status']);
    const [own] = before['slots'] as { id: string }[];
    expect((await run(['keyring', 'slots', 'delete', own?.id ?? '', '--yes'])).code).toBe(1);
    const slot = await json(['keyring', 'slots', 'create', 'passphrase', '--passphrase', '-'], {
      stdin: 'correct horse\n',
    });
    expect(slot).toMatchObject({ kind: 'passphrase' });
    const recovery = await json(['keyring', 'slots', 'create', 'recovery']);
    expect(recovery).toHaveProperty('recovery_code');
    await json(['keyring', 'slots', 'delete', String(recovery['id']), '--yes']);
    const after = await json(['keyring', 'rotate', '--wait']);
    expect(after['root_key_version']).toBe(Number(before['root_key_version']) + 1);
    expect((after['slots'] as unknown[]).length).toBe(2);
  });

  test('keyring slots create key_file: a relative path is relative to where the command runs', async () => {
    await json(['keyring', 'slots', 'create', 'key_file', '--path', 'second.key']);
    expect((await run(['vault', 'get', await create('users')])).code).toBe(0);
    expect(statSync(join(daemon().home, 'second.key')).mode & 0o777).toBe(0o600);
  });
});

test('audit verify: an entry changed behind the back of the daemon ends with 1', async () => {
  using folder = tempDir();
  const cli = cliIn(() => folder.path);
  const first = await startDaemon({ home: folder.path, isDurable: true });
  const { id } = await cli.json('users create id.first_name=Jane');
  await cli.json(['vault', 'decrypt', String(id), 'id.first_name', '--reason', 'an honest reason']);
  await first.end();
  const store = openBinding(join(folder.path, 'data', 'default', 'vault.db'));
  store.prepare("UPDATE access_log SET entry = replace(entry, 'an honest reason', 'another one')").run();
  store.close();
  await using _second = await startDaemon({ home: folder.path, isDurable: true });
  const verified = await cli.run('audit verify --json');
  expect(verified).toMatchObject({ code: 1, stderr: '' });
  expect(jsonOf(verified)).toMatchObject({ ok: false, first_bad_seq: 1 });
});

test('transform: runs on an argument or on stdin, and needs no daemon', async () => {
  const options = { environment: { KYCLONE_INSTANCE: 'none' } };
  expect((await run(['transform', 'to_uppercase | prefix(2)', 'jane'], options)).stdout).toBe('JA\n');
  expect((await run(['transform', 'suffix(2)'], { ...options, stdin: 'jane\n' })).stdout).toBe('ne\n');
  expect(await json(['transform', `date_format('%Y-%m-%d','%d.%m.%y')`, '1988-12-30'], options)).toEqual({
    value: '30.12.88',
  });
  const failed = await run(['transform', `date_format('%Y-%m-%d','%y')`, '30 December'], options);
  expect(failed).toMatchObject({ code: 7, stdout: '' });
  expect(failed.stderr).not.toContain('December');
});
