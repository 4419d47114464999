import { hmac } from '@noble/hashes/hmac';
import { scrypt } from '@noble/hashes/scrypt';
import { sha256 } from '@noble/hashes/sha2';
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import nacl from 'tweetnacl';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { ephemeralKeyring, type SlotRecord } from '../../../src/vault/keyring/index.ts';
import { sealSlot } from '../../../src/vault/keyring/slots.ts';
import { A_KEY, A_PASSPHRASE, aPlace, NOW, refusal, run, writeKeyFile } from './keyring-fixture.ts';
import { bytesOf } from '../../support/store-bytes.ts';

/**
 * Opens a slot as docs/architecture.md#vault defines it: HKDF-Expand of one block, then secretbox. Both are from
 * independent libraries.
 */
function openByHand(slot: SlotRecord, secret: Uint8Array): Uint8Array | null {
  const context = ['vault key', slot.kind, slot.id].map((part) => `${part.length}:${part}`).join('');
  const key = hmac(sha256, secret, Buffer.concat([Buffer.from(context), Buffer.from([1])]));
  const [nonce, box] = [slot.sealed_vault_key.subarray(2, 26), slot.sealed_vault_key.subarray(26)];
  return nacl.secretbox.open(Uint8Array.from(box), Uint8Array.from(nonce), key);
}

test('passphrase slot: the scrypt parameters are stored, and an independent scrypt opens it', async () => {
  const place = aPlace();
  await run(place, { environment: { passphrase: A_PASSPHRASE } });
  const database = openDatabase(place.storePath);
  const slot = database.prepare('SELECT * FROM keyring_slots').get() as SlotRecord;
  database.close();
  const parameters = JSON.parse(slot.parameters) as { salt: string };
  const salt = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
  expect(parameters).toEqual({ kdf: 'scrypt', n: 131_072, r: 8, p: 1, salt });
  const cost = { N: 2 ** 17, r: 8, p: 1, dkLen: 32 };
  const secret = scrypt(A_PASSPHRASE, Buffer.from(parameters.salt, 'hex'), cost);
  expect(openByHand(slot, secret)).toHaveLength(32);
});

test('passphrase slot: one of an earlier cost opens, and keeps its cost', async () => {
  const place = aPlace();
  await run(place, { environment: { key: A_KEY } }, ({ database, keyring }) => {
    const [first] = database.prepare('SELECT * FROM keyring_slots').all() as SlotRecord[];
    const vaultKey = first && openByHand(first, Buffer.from(A_KEY, 'hex'));
    if (!vaultKey) throw new Error('the first slot does not open');
    const salt = 'ab'.repeat(16);
    const secret = scrypt(A_PASSPHRASE, Buffer.from(salt, 'hex'), { N: 2 ** 15, r: 8, p: 1, dkLen: 32 });
    const parameters = { kdf: 'scrypt', n: 2 ** 15, r: 8, p: 1, salt } as const;
    keyring.addSlot(database, sealSlot({ kind: 'passphrase', parameters, secret }, vaultKey, NOW));
  });
  await run(place, { environment: { passphrase: A_PASSPHRASE } }, ({ database, openedBy }) => {
    expect(openedBy).toBe('passphrase');
    const stored = database.prepare("SELECT parameters FROM keyring_slots WHERE kind = 'passphrase'").pluck();
    expect(JSON.parse(stored.get() as string)).toMatchObject({ n: 2 ** 15 });
  });
});

test('passphrase slot: a passphrase with an unpaired surrogate, which others would open too, is refused', async () => {
  const { prepareSlot } = ephemeralKeyring(openDatabase(':memory:'), NOW);
  const refused = await refusal(prepareSlot({ kind: 'passphrase', passphrase: 'correct horse \ud800' }, NOW));
  expect(refused).toMatchObject({ code: 'vault_key_invalid' });
});

test('slots: every slot seals the same vault key', async () => {
  const database = openDatabase(':memory:');
  const keyring = ephemeralKeyring(database, NOW);
  const path = join(aPlace().root, 'some.key');
  writeKeyFile(path, A_KEY);
  const { slot } = await keyring.prepareSlot({ kind: 'key_file', path }, NOW);
  const { slot: second } = await keyring.prepareSlot({ kind: 'key_file', path }, NOW);
  expect(slot.sealed_vault_key).not.toEqual(second.sealed_vault_key);
  const vaultKey = openByHand(slot, Buffer.from(A_KEY, 'hex'));
  expect(vaultKey).toHaveLength(32);
  expect(openByHand(second, Buffer.from(A_KEY, 'hex'))).toEqual(vaultKey);
});

test('addSlot: a passphrase and a key file that were added open the vault without the first key', async () => {
  const place = aPlace();
  const path = join(place.root, 'second', 'spare.key');
  const log = await run(place, {}, async ({ database, keyring }) => {
    const passphrase = await keyring.prepareSlot({ kind: 'passphrase', passphrase: A_PASSPHRASE }, NOW);
    const keyFile = await keyring.prepareSlot({ kind: 'key_file', path }, NOW);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const { slot } of [passphrase, keyFile]) keyring.addSlot(database, slot);
    const [first] = keyring
      .describe(database)
      .slots.filter(({ id }) => id !== keyFile.slot.id && id !== passphrase.slot.id);
    keyring.removeSlot(database, first?.id ?? '');
    expect(
      keyring
        .describe(database)
        .slots.map(({ kind }) => kind)
        .sort(),
    ).toEqual(['key_file', 'passphrase']);
    return Buffer.from(keyring.instanceKey('access log'));
  });
  expect(existsSync(place.options.defaultKeyFile)).toBe(true);
  await run(place, { environment: { passphrase: A_PASSPHRASE } }, ({ openedBy, keyring }) => {
    expect(openedBy).toBe('passphrase');
    expect(Buffer.from(keyring.instanceKey('access log'))).toEqual(log);
  });
  await run(place, {}, ({ openedBy, keyring }) => {
    expect(openedBy).toBe('key_file');
    expect(Buffer.from(keyring.instanceKey('access log'))).toEqual(log);
  });
});

test('recovery slot: its code opens the vault, a typing error and a foreign code do not', async () => {
  const place = aPlace();
  const code = await run(place, { environment: { key: A_KEY } }, async ({ database, keyring }) => {
    const { slot, recovery_code } = await keyring.prepareSlot({ kind: 'recovery' }, NOW);
    keyring.addSlot(database, slot);
    expect(JSON.stringify(slot)).not.toContain(recovery_code?.slice(5));
    return recovery_code ?? '';
  });
  const withCode = (passphrase: string) => ({ environment: { passphrase } });
  expect(await run(place, withCode(code), ({ openedBy }) => openedBy)).toBe('recovery');
  expect(await run(place, withCode(code.toLowerCase()), ({ openedBy }) => openedBy)).toBe('recovery');

  const last = code.endsWith('7') ? '8' : '7';
  const typo = await refusal(run(place, withCode(code.slice(0, -1) + last)));
  expect(typo).toMatchObject({ code: 'vault_key_invalid' });
  expect(typo.message).toContain('typing error');

  const { recovery_code: foreign } = await ephemeralKeyring(openDatabase(':memory:'), NOW).prepareSlot(
    { kind: 'recovery' },
    NOW,
  );
  const error = await refusal(run(place, withCode(foreign ?? '')));
  expect(error).toMatchObject({ code: 'sealed' });
  expect(error.message).toContain('is not one of this vault');
});

test('removeSlot: what was removed no longer opens the vault', async () => {
  const place = aPlace();
  await run(place, { environment: { key: A_KEY, passphrase: A_PASSPHRASE } }, ({ database, keyring }) => {
    const slot = keyring.describe(database).slots.find(({ kind }) => kind === 'environment');
    keyring.removeSlot(database, slot?.id ?? '');
  });
  expect(await refusal(run(place, { environment: { key: A_KEY } }))).toMatchObject({ code: 'sealed' });
});

test('prepareSlot: stores nothing by itself', async () => {
  await run(aPlace(), {}, async ({ database, keyring }) => {
    await keyring.prepareSlot({ kind: 'passphrase', passphrase: A_PASSPHRASE }, NOW);
    expect(keyring.describe(database).slots).toHaveLength(1);
  });
});

test('prepareSlot: a key file in the data directory or open to others is refused', async () => {
  const place = aPlace();
  await run(place, { environment: { key: A_KEY } }, async ({ keyring }) => {
    const inside = keyring.prepareSlot({ kind: 'key_file', path: join(place.dataDirectory, 'a.key') }, NOW);
    await expect(inside).rejects.toMatchObject({ code: 'key_file_refused' });
    const path = join(place.root, 'open.key');
    writeKeyFile(path, A_KEY);
    chmodSync(path, 0o660);
    await expect(keyring.prepareSlot({ kind: 'key_file', path }, NOW)).rejects.toThrow('chmod 600');
  });
});

test('prepareSlot: a key_file slot without a path uses the default place', async () => {
  const place = aPlace();
  await run(place, { environment: { key: A_KEY } }, async ({ database, keyring }) => {
    const { slot } = await keyring.prepareSlot({ kind: 'key_file' }, NOW);
    keyring.addSlot(database, slot);
  });
  expect(await run(place, {}, ({ openedBy }) => openedBy)).toBe('key_file');
});

test('slots: no secret is in the store or in what is described', async () => {
  const place = aPlace();
  const keyFile = join(place.root, 'mine.key');
  writeKeyFile(keyFile, 'c3'.repeat(32));
  const environment = { key: A_KEY, passphrase: A_PASSPHRASE };
  const described = await run(place, { keyFile, environment }, ({ database, keyring }) =>
    JSON.stringify(keyring.describe(database)),
  );
  const database = openDatabase(place.storePath);
  const stored = bytesOf(database);
  database.close();
  const hexKeys = [A_KEY, 'c3'.repeat(32)];
  for (const secret of [...hexKeys, A_PASSPHRASE]) {
    expect(described).not.toContain(secret);
    expect(stored.includes(secret)).toBe(false);
  }
  for (const key of hexKeys) expect(stored.includes(Buffer.from(key, 'hex'))).toBe(false);
});
