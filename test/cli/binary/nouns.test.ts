/** Every noun of the CLI with a real daemon: what it does, and that nothing is destroyed without a confirmation. */
import { createHmac } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBinding } from '../../../src/storage/binding.ts';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { tempDir } from '../../support/temp-dir.ts';

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home);

async function create(noun: 'users' | 'businesses', ...fields: string[]): Promise<string> {
  return String((await json([noun, 'create', ...fields]))['id']);
}

describe('users and businesses', () => {
  test.each([
    ['users', 'fp_id_', 'id.first_name=Jane'],
    ['businesses', 'fp_bid_', 'business.name=Acme'],
  ] as const)('%s: create, get, list, update, delete', async (noun, prefix, field) => {
    const made = await json([noun, 'create', field, '--sandbox-id', 'box-1']);
    const id = String(made['id']);
    expect(made).toEqual({
      id: expect.stringMatching(`^${prefix}`) as string,
      external_id: null,
      sandbox_id: 'box-1',
    });
    const external = `${noun}-4711`;
    expect(await json([noun, 'update', id, '--external-id', external])).toMatchObject({
      external_id: external,
    });
    expect(await json([noun, 'get', id])).toMatchObject({ id, external_id: external, status: 'none' });
    expect(await json([noun, 'list', '--external-id', external])).toMatchObject({
      data: [{ id }],
      meta: { count: 1 },
    });
    expect(await json([noun, 'delete', id, '--yes'])).toEqual({});
    expect((await run([noun, 'get', id])).code).toBe(6);
  });

  test('users create: the same external id is the same user', async () => {
    const first = await json(['users', 'create', '--external-id', 'twice-4711']);
    expect(await json(['users', 'create', '--external-id', 'twice-4711'])).toEqual(first);
  });

  test('users list: continues after the page', async () => {
    await create('users');
    await create('users');
    const first = await json(['users', 'list', '--page-size', '1']);
    const { next } = first['meta'] as { next: string };
    const second = await json(['users', 'list', '--page-size', '1', '--cursor', next]);
    expect(second['data']).not.toEqual(first['data']);
    expect((await run(['users', 'list', '--page-size', '1'])).stdout).toContain(`--cursor ${next}`);
  });

  test('users create --live: is another world', async () => {
    const { id } = await json(['users', 'create', '--live']);
    expect((await run(['users', 'get', String(id)])).code).toBe(6);
    expect((await run(['users', 'get', String(id), '--live'])).code).toBe(0);
    expect((await run(['vault', 'get', String(id), '--live'])).code).toBe(0);
  });
});

describe('vault', () => {
  test.each([
    ['users', 'id.city', 'id.first_name=Jane'],
    ['businesses', 'business.city', 'business.name=Acme'],
  ] as const)(
    'vault: set, get, validate, decrypt, integrity, delete by the prefix of %s',
    async (noun, city, field) => {
      const id = await create(noun, field);
      const set = await run(['vault', 'set', id, `${city}=Boston`, `custom.tags:=["a",{"b":null}]`]);
      expect(set).toEqual({ code: 0, stdout: 'Written; the vault is at version 2\n', stderr: '' });
      expect(await json(['vault', 'get', id, city, 'custom.nothing'])).toEqual({
        [city]: true,
        'custom.nothing': false,
      });
      expect(await json(['vault', 'get', id])).toMatchObject({ id, vault_version: 2 });
      expect(await json(['vault', 'get', id, '--at', '1'])).not.toHaveProperty([city]);
      expect(await json(['vault', 'validate', id, `${city}=New York`])).toEqual({});
      expect(
        await json(`vault decrypt ${id} ${city} custom.tags --reason test --transform to_uppercase`),
      ).toEqual({ [city]: 'BOSTON', 'custom.tags': '["A",{"B":NULL}]' });
      const signed = await json(['vault', 'integrity', id, city, '--signing-key', '-'], { stdin: '00ff\n' });
      expect(signed).toEqual({
        [city]: createHmac('sha256', Buffer.from('00ff', 'hex')).update('Boston').digest('hex'),
      });
      expect(await json(['vault', 'delete', id, city, '--yes'])).toEqual({ [city]: true });
      expect(await json(['vault', 'decrypt', id, city, '--reason', 'test'])).toEqual({ [city]: null });
      expect(await json(['vault', 'decrypt', id, city, '--reason', 'test', '--at', '2'])).toEqual({
        [city]: 'Boston',
      });
    },
  );

  test('vault set: =@FILE is the text of the file, --data a body', async () => {
    const id = await create('users');
    writeFileSync(join(daemon().home, 'note.txt'), 'Zoë\nsays hello\n');
    writeFileSync(join(daemon().home, 'body.json'), '{"custom.number":7}');
    await json(['vault', 'set', id, 'custom.note=@note.txt', '--data', '@body.json']);
    expect(await json(['vault', 'decrypt', id, 'custom.note', 'custom.number', '--reason', 'test'])).toEqual({
      'custom.note': 'Zoë\nsays hello\n',
      'custom.number': 7,
    });
  });

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
  test.each([
    ['users delete', (id: string) => ['users', 'delete', id]],
    ['vault delete', (id: string) => ['vault', 'delete', id, 'id.first_name']],
    ['reset', () => ['reset']],
    ['reset --hard', () => ['reset', '--hard']],
  ])('%s: needs --yes without a terminal', async (_, argv) => {
    const id = await create('users', 'id.first_name=Jane');
    const refused = await run([...argv(id), '--json'], { stdin: 'y\n' });
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'input_needed', exit_code: 3 });
    expect(await json(['vault', 'get', id, 'id.first_name'])).toEqual({ 'id.first_name': true });
  });

  test('keys delete: needs --yes, and then the key opens nothing', async () => {
    const made = await json(['keys', 'create', '--name', 'to be revoked', '--permission', 'vault.write']);
    const environment = { KYCLONE_BASE_URL: daemon().url, KYCLONE_API_KEY: String(made['key']) };
    expect((await run(['keys', 'delete', String(made['id'])])).code).toBe(3);
    expect((await run(['users', 'list'], { environment })).code).toBe(0);
    expect((await run(['users', 'create'], { environment })).code).toBe(4);
    await json(['keys', 'delete', String(made['id']), '--yes']);
    expect((await run(['users', 'list'], { environment })).code).toBe(4);
  });

  test('an ephemeral instance asks nothing', async () => {
    await using ephemeral = await startDaemon();
    const options = { home: ephemeral.home };
    const { id } = jsonOf(await runInProcess(['users', 'create', '--json'], options));
    expect((await runInProcess(['users', 'delete', String(id)], options)).code).toBe(0);
    expect((await runInProcess(['reset', '--hard', '--seed', '42'], options)).code).toBe(0);
  });
});

describe('control plane', () => {
  test('keys update: disables and enables a key, and says what is wrong', async () => {
    const id = String((await json(['keys', 'create', '--name', 'first']))['id']);
    expect(await json(['keys', 'update', id, '--disable', '--name', 'second'])).toMatchObject({
      id,
      name: 'second',
      enabled: false,
    });
    expect(await json(['keys', 'update', id, '--enable'])).toMatchObject({ name: 'second', enabled: true });
    for (const [flags, why] of [
      [[], 'There is nothing to change'],
      [['--enable', '--disable'], '--enable and --disable exclude each other'],
    ] as const) {
      const refused = await run(['keys', 'update', id, ...flags]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
    }
  });

  test('users device: sets and removes what is known of a device, and says what is wrong', async () => {
    const id = String((await json(['users', 'create', 'id.first_name=Jo']))['id']);
    await json(['users', 'device', id, '--device-id', 'device-1', '--ip-address', '203.0.113.7']);
    await json(['users', 'device', id, '--ip-address', 'none']);
    for (const [flags, why] of [
      [[], 'There is nothing to change'],
      [['--ip-address', '999.1.1.1'], '--ip-address takes an IPv4 or IPv6 address, or none'],
    ] as const) {
      const refused = await run(['users', 'device', id, ...flags]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
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

  test('audit: lists readings and verifies their chain', async () => {
    const id = await create('users', 'id.first_name=Jane');
    await json(['vault', 'decrypt', id, 'id.first_name', '--reason', 'because']);
    const list = await json(`audit list --entity ${id} --operation decrypt --outcome granted`);
    expect(list).toMatchObject({ data: [{ fp_id: id, reason: 'because', identifiers: ['id.first_name'] }] });
    expect(await json(['audit', 'verify'])).toMatchObject({ ok: true, first_bad_seq: null });
  });
});

test('audit verify: an entry changed behind the back of the daemon ends with 1', async () => {
  using folder = tempDir();
  const options = { home: folder.path };
  const first = await startDaemon({ home: folder.path, isDurable: true });
  const { id } = jsonOf(await runInProcess(['users', 'create', 'id.first_name=Jane', '--json'], options));
  await runInProcess(
    ['vault', 'decrypt', String(id), 'id.first_name', '--reason', 'an honest reason'],
    options,
  );
  await first.end();
  const store = openBinding(join(folder.path, 'data', 'default', 'vault.db'));
  store.prepare("UPDATE access_log SET entry = replace(entry, 'an honest reason', 'another one')").run();
  store.close();
  await using second = await startDaemon({ home: folder.path, isDurable: true });
  const verified = await runInProcess(['audit', 'verify', '--json'], { home: second.home });
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

test('config: keeps, lists and forgets settings', async () => {
  await json(['config', 'set', 'cors.origins', 'http://localhost:3000,https://a.example']);
  expect(await json(['config', 'list'])).toEqual({
    'cors.origins': 'http://localhost:3000,https://a.example',
  });
  expect((await run(['config', 'get', 'cors.origins'])).stdout).toBe(
    'http://localhost:3000,https://a.example\n',
  );
  await json(['config', 'delete', 'cors.origins']);
  expect(await json(['config', 'list'])).toEqual({});
});
