/** A store as versions before row seals have left it, made of one of now, with the key that opens it. */
import BetterSqlite3 from 'better-sqlite3';
import { openSlot } from '../../src/vault/keyring/slots.ts';
import type { SlotRecord } from '../../src/vault/keyring/repository.ts';
import { openRootKey, sealRootKey } from '../../src/vault/keyring/root-keys.ts';

/** What a version without row seals doesn't have; whoever can write to a store can take it away. */
const TAKE_SEALS_AWAY = `
ALTER TABLE api_keys DROP COLUMN seal;
ALTER TABLE client_tokens DROP COLUMN seal;
ALTER TABLE webhooks DROP COLUMN seal;
ALTER TABLE entities DROP COLUMN seal;
DELETE FROM instance_keys WHERE name = 'grants';
DELETE FROM instance_values WHERE name IN ('grants', 'settings seal');
DROP TABLE tombstones;
PRAGMA user_version = 5;
`;

/** The vault key of a closed store that `environmentKey` (64 hexadecimal digits) opens. */
export function vaultKeyOf(storeFile: string, environmentKey: string): Uint8Array {
  const store = new BetterSqlite3(storeFile);
  const slot = store.prepare("SELECT * FROM keyring_slots WHERE kind = 'environment'").get() as SlotRecord;
  store.close();
  const key = openSlot(slot, Buffer.from(environmentKey, 'hex'));
  if (!key) throw new Error('the key does not open the store');
  return key;
}

/** Takes away everything that tells of seals: all that somebody without the key can do. */
export function takeSealsAway(file: string): void {
  const store = new BetterSqlite3(file);
  store.exec(TAKE_SEALS_AWAY);
  store.close();
}

/** Makes a store, or a snapshot without its seal, what an older version would have left. */
export function makeStoreOlder(file: string, vaultKey: Uint8Array): void {
  takeSealsAway(file);
  const store = new BetterSqlite3(file);
  const roots = store.prepare('SELECT version, sealed_key FROM root_keys').all();
  for (const row of roots as { version: number; sealed_key: Uint8Array }[]) {
    const opened = openRootKey(vaultKey, row);
    if (!opened) throw new Error('a root key does not open');
    const { sealed_key } = sealRootKey(vaultKey, row.version, { key: opened.key, isOld: true });
    store.prepare('UPDATE root_keys SET sealed_key = ? WHERE version = ?').run(sealed_key, row.version);
  }
  store.close();
}
