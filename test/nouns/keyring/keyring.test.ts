/** The keyring over HTTP (contract §11): rotation while the instance runs, and slots. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { failureOf } from '../../support/service.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const ROTATE = 'POST /_kyclone/keyring/rotate';
const ADD = 'POST /_kyclone/keyring/slots';

describe('rotate', () => {
  test('keyring: begins at root key version 1 without a slot, since this instance is ephemeral', async (service) => {
    await service.user();

    expect((await service.call('GET /_kyclone/keyring')).body).toEqual({
      root_key_version: 1,
      min_root_key_version: 1,
      slots: [],
      entities_by_root_key_version: { 1: 1 },
    });
  });

  test('rotate: with wait answers when every entity is on the new version', async (service) => {
    const users = await Promise.all(
      Array.from({ length: 450 }, () => service.user({ 'id.city': 'Enclave' })),
    );

    const { body } = await service.call(ROTATE, { query: { wait: true } });

    expect(body).toMatchObject({
      root_key_version: 2,
      min_root_key_version: 2,
      entities_by_root_key_version: { 2: users.length },
    });
    const vault = vaultOf(service, users[449] ?? '');
    expect(await vault.decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
    expect(await vault.write({ 'id.city': 'Springfield' })).toBe(2);
  });

  test('rotate: without wait the instance serves while the rotation continues', async (service) => {
    const user = await service.user({ 'id.city': 'Enclave' });

    expect((await service.call(ROTATE)).body.root_key_version).toBe(2);

    expect(await vaultOf(service, user).decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
    await service.user();
    const { body } = await service.call(ROTATE, { query: { wait: true } });
    expect(body).toMatchObject({
      root_key_version: 3,
      min_root_key_version: 3,
      entities_by_root_key_version: { 3: 2 },
    });
    expect((await service.call('GET /_kyclone/info')).body.pending_work).toBe(0);
  });

  test('rotate: several at once end on one version with every value readable', async (service) => {
    const user = await service.user({ 'id.city': 'Enclave' });

    await Promise.all([1, 2, 3].map(() => service.call(ROTATE, { query: { wait: true } })));

    const { body } = await service.call('GET /_kyclone/keyring');
    expect(body).toMatchObject({
      root_key_version: 4,
      min_root_key_version: 4,
      entities_by_root_key_version: { 4: 1 },
    });
    expect(await vaultOf(service, user).decrypt(['id.city'])).toEqual({ 'id.city': 'Enclave' });
  });

  test('rotate: fingerprints and the access log work as before', async (service) => {
    const user = await service.user({ 'id.email': 'a@b.example', 'card.one.number': '4111111111111111' });
    const before = await vaultOf(service, user).decrypt(['card.one.fingerprint']);

    await service.call(ROTATE, { query: { wait: true } });

    expect(await vaultOf(service, user).decrypt(['card.one.fingerprint'])).toEqual(before);
    const found = await service.call('GET /_kyclone/entities', { query: { q: 'a@b.example' } });
    expect(found.body.data).toMatchObject([{ id: user }]);
    expect((await service.call('GET /_kyclone/access-log/verify')).body).toMatchObject({
      ok: true,
      checked: 3,
    });
  });
});

describe('slots', () => {
  test('slots: a recovery slot gives its code once', async (service) => {
    const { body } = await service.call(ADD, { body: { kind: 'recovery' } });

    expect(body).toMatchObject({ kind: 'recovery', recovery_code: expect.any(String) as string });
    const { slots } = (await service.call('GET /_kyclone/keyring')).body;
    expect(slots).toMatchObject([{ id: body.id, kind: 'recovery' }]);
    expect(JSON.stringify(slots)).not.toContain(body.recovery_code);
  });

  test('slots: the last one stays, any other goes', async (service) => {
    const add = async () => (await service.call(ADD, { body: { kind: 'recovery' } })).body.id;
    const [first, second] = [await add(), await add()];
    const remove = 'DELETE /_kyclone/keyring/slots/{id}';

    expect((await service.call(remove, { params: { id: first } })).body).toEqual({});
    expect(await service.refused(remove, { params: { id: second } })).toMatchObject(
      failureOf(409, 'conflict'),
    );
    expect((await service.refused(remove, { params: { id: first } })).status).toBe(404);
    expect((await service.call('GET /_kyclone/keyring')).body.slots).toMatchObject([{ id: second }]);
  });

  test('slots: a passphrase is taken from 8 characters on and stored nowhere', async (service) => {
    const passphrase = 'pass phr';

    const { body } = await service.call(ADD, { body: { kind: 'passphrase', passphrase } });

    expect(body).toMatchObject({ kind: 'passphrase', last_used_at: null });
    const rows = JSON.stringify(service.database.prepare('SELECT * FROM keyring_slots').all());
    expect(rows).not.toContain(passphrase);
  });

  test('slots: a key file is created at the given path, for its owner only', async (service) => {
    using directory = tempDir();
    const path = join(directory.path, 'keys', 'vault.key');

    expect((await service.call(ADD, { body: { kind: 'key_file', path } })).body.kind).toBe('key_file');

    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.eachWith([
    [{ kind: 'passphrase' }, 'invalid_request'],
    [{ kind: 'passphrase', passphrase: '1234567' }, 'invalid_request'],
    // Like a recovery code.
    [{ kind: 'passphrase', passphrase: 'KYRC-0000-0000' }, 'vault_key_invalid'],
    [{ kind: 'key_file' }, 'invalid_request'],
    [{ kind: 'key_file', path: 'vault.key' }, 'invalid_request'],
    [{ kind: 'key_file', path: '/' }, 'key_file_refused'],
    [{ kind: 'key_file', path: '/\0' }, 'invalid_request'],
    [{ kind: 'key_file', path: '/proc/nowhere/vault.key' }, 'key_file_refused'],
  ])('slots: %j is 400 %s', async (service, body, code) => {
    expect(await service.refused(ADD, { body })).toMatchObject({ status: 400, code });
    expect((await service.call('GET /_kyclone/keyring')).body.slots).toEqual([]);
    expect(existsSync('vault.key')).toBe(false);
  });
});
