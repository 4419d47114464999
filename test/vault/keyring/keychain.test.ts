import '../../support/own-process.ts';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { KEYCHAIN_TOOLS, startKeychain, type KeychainSession } from '../../support/keychain.ts';
import { missingTools, packagesOf } from '../../torture/tools.ts';
import { addEntity, aPlace, entityKey, refusal, run, storeBytes, type Place } from './keyring-fixture.ts';

const missing = process.platform === 'linux' ? missingTools(KEYCHAIN_TOOLS) : [];
const isCi = process.env['CI'] === 'true';
const skipReason =
  process.platform !== 'linux'
    ? 'the test keychain is for Linux'
    : `${missing.join(', ')} missing: apt-get install ${packagesOf(KEYCHAIN_TOOLS)}`;
const canRun = process.platform === 'linux' && missing.length === 0;

if (isCi) {
  test('keychain: CI has the programs of a real Secret Service', () => {
    expect(canRun, skipReason).toBe(true);
  });
} else if (!canRun) {
  test.skip(`keychain: not tested here, ${skipReason}`);
}

describe.runIf(canRun)('with a real Secret Service', () => {
  let session: KeychainSession;

  beforeAll(async () => {
    session = await startKeychain();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await session.stop();
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries(session.environment)) vi.stubEnv(name, value);
  });

  function aKeychainPlace(): Place {
    const place = aPlace();
    return {
      ...place,
      options: { ...place.options, noKeychain: false, keychainLimitMs: 120_000, instance: 'work' },
    };
  }

  interface Entry {
    setPassword(password: string): Promise<void>;
    getPassword(): Promise<string | null>;
    deletePassword(): Promise<boolean>;
  }

  /** Returns the slot's entry in the Secret Service. It uses the keychain library directly. */
  function entryOf({ storePath }: Place): Entry {
    const database = openDatabase(storePath);
    const stored = database.prepare('SELECT parameters FROM keyring_slots').pluck().get() as string;
    database.close();
    const { service, account } = JSON.parse(stored) as { service: string; account: string };
    expect(service).toBe('kyclone');
    expect(account).toMatch(/^work [0-9A-Za-z]{22}$/);
    const { AsyncEntry } = createRequire(import.meta.url)('@napi-rs/keyring') as {
      AsyncEntry: new (service: string, account: string, options: object) => Entry;
    };
    return new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  }

  function accounts(): string[] {
    const { findCredentials } = createRequire(import.meta.url)('@napi-rs/keyring') as {
      findCredentials: (service: string) => { account: string }[];
    };
    return findCredentials('kyclone').map(({ account }) => account);
  }

  test('keychain: is chosen at first start when nothing else is given, and opens the vault again', async () => {
    const place = aKeychainPlace();
    const key = await run(place, {}, ({ database, keyring, openedBy, notices }) => {
      expect(openedBy).toBe('keychain');
      expect(notices).toEqual([]);
      return addEntity(database, keyring, 'fp_id_jane');
    });
    expect(existsSync(place.options.defaultKeyFile)).toBe(false);
    expect(await entryOf(place).getPassword()).toMatch(/^[0-9a-f]{64}$/);
    expect(accounts().filter((account) => account.startsWith('probe'))).toEqual([]);
    await run(place, {}, ({ database, keyring, openedBy }) => {
      expect(openedBy).toBe('keychain');
      expect(entityKey(database, keyring, 'fp_id_jane')).toEqual(key);
    });
  });

  test('keychain: satisfies --require-keychain', async () => {
    const openedBy = await run(aKeychainPlace(), { requireKeychain: true }, (opened) => opened.openedBy);
    expect(openedBy).toBe('keychain');
  });

  test('keychain: two vaults of one instance name have entries of their own', async () => {
    const [one, other] = [aKeychainPlace(), aKeychainPlace()];
    await run(one);
    await run(other);
    expect(await entryOf(one).getPassword()).not.toBe(await entryOf(other).getPassword());
    await run(one, {}, ({ openedBy }) => expect(openedBy).toBe('keychain'));
  });

  test('keychain: a given source is used instead of it', async () => {
    const before = accounts();
    await run(aKeychainPlace(), { environment: { passphrase: 'open sesame' } });
    expect(accounts()).toEqual(before);
  });

  test('keychain: a missing, foreign or broken entry is sealed, makes no key and leaves the store as it is', async () => {
    const place = aKeychainPlace();
    await run(place);
    const entry = entryOf(place);
    const right = (await entry.getPassword()) ?? '';
    const before = storeBytes(place);
    const spoil = [
      [() => entry.deletePassword(), 'no such entry'],
      [() => entry.setPassword('ab'.repeat(32)), 'is not the key of this slot any more'],
      [() => entry.setPassword('rubbish'), 'is no vault key'],
    ] as const;
    for (const [change, text] of spoil) {
      await change();
      const entries = accounts();
      const error = await refusal(run(place));
      expect(error).toMatchObject({ code: 'sealed' });
      expect(error.message).toContain(text);
      expect(error.message).toContain("entry 'kyclone', account 'work ");
      expect(storeBytes(place).equals(before)).toBe(true);
      expect(accounts()).toEqual(entries);
      expect(existsSync(place.options.defaultKeyFile)).toBe(false);
    }
    await entry.setPassword(right);
    await run(place, {}, ({ openedBy }) => expect(openedBy).toBe('keychain'));
  });

  test('keychain: KYCLONE_NO_KEYCHAIN beside a vault that needs it is sealed', async () => {
    const place = aKeychainPlace();
    await run(place);
    const error = await refusal(run(place, { noKeychain: true }));
    expect(error).toMatchObject({ code: 'sealed' });
    expect(error.message).toContain('KYCLONE_NO_KEYCHAIN is set');
  });

  test('keychain: locked is sealed for its vault, and a key file for a new one', async () => {
    const place = aKeychainPlace();
    await run(place);
    const before = storeBytes(place);
    await session.lock();
    const error = await refusal(run(place));
    expect(error).toMatchObject({ code: 'sealed' });
    expect(error.message).toContain('the OS keychain does not open the vault');
    expect(storeBytes(place).equals(before)).toBe(true);
    expect(await run(aKeychainPlace(), {}, ({ openedBy }) => openedBy)).toBe('key_file');
  });
});
