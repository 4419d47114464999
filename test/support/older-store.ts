/** Turns a current store into a store of an older version. It needs the key that opens the store. */
import { createHmac } from 'node:crypto';
import { openBinding, type Database } from '../../src/storage/binding.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { derivedKey, open } from '../../src/vault/envelope.ts';
import { openSlot } from '../../src/vault/keyring/slots.ts';
import type { SlotRecord } from '../../src/vault/keyring/repository.ts';
import { openRootKey, sealRootKey } from '../../src/vault/keyring/root-keys.ts';

/**
 * Drops the tables and triggers of all migrations since the ninth. A new one needs no change here, nor does a new
 * column; a new index does. A table that a migration makes anew has its earlier name.
 */
const DROP_NEWER_TABLES = MIGRATIONS.slice(9)
  .flatMap((sql) => [...sql.matchAll(/^CREATE (TABLE|TRIGGER) (\w+)/gm)])
  .map(([, kind = '', name = '']) => (name === 'remade' ? '' : `DROP ${kind} IF EXISTS ${name};`))
  .reverse()
  .join('\n');

const DROP_NEWER_COLUMNS = MIGRATIONS.slice(9)
  .flatMap((sql) => [...sql.matchAll(/^ALTER TABLE (\w+) ADD COLUMN (\w+)/gm)])
  .map(([, table = '', column = '']) => `ALTER TABLE ${table} DROP COLUMN ${column};`)
  .join('\n');

/** Gives the tables that a later migration makes anew the form that they had after the ninth. */
function inEarlierForm(): string {
  const earlier = openBinding(':memory:');
  try {
    for (const sql of MIGRATIONS.slice(0, 9)) earlier.exec(sql);
    const remade = MIGRATIONS.slice(9).flatMap((sql) => [
      ...sql.matchAll(/^ALTER TABLE remade RENAME TO (\w+)/gm),
    ]);
    return remade
      .map(([, table = '']) => {
        const sql = `SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC`;
        const [made = '', ...indexes] = earlier.prepare<[string], string>(sql).pluck().all(table);
        return `ALTER TABLE ${table} RENAME TO newer; ${made}; INSERT INTO ${table} SELECT * FROM newer;
          DROP TABLE newer; ${indexes.map((index) => `${index};`).join(' ')}`;
      })
      .join('\n');
  } finally {
    earlier.close();
  }
}

/**
 * Removes everything that versions without records of sessions don't have. A user who can write to a store can do this.
 */
export const TAKE_SESSION_RECORDS_AWAY = `
${DROP_NEWER_TABLES}
${inEarlierForm()}
DROP INDEX entities_by_age;
DROP INDEX entities_by_status;
DROP INDEX entities_by_root_key;
DROP INDEX entities_by_label;
DROP INDEX entities_in_review;
DROP INDEX tags_by_text;
DROP INDEX onboardings_in_review;
CREATE INDEX entities_by_age ON entities (space, kind, created_at);
CREATE INDEX access_log_by_entity ON access_log (fp_id, seq);
DROP INDEX onboarding_sessions_by_session_id;
DROP INDEX onboarding_sessions_by_age;
DROP INDEX onboarding_sessions_by_fp_id;
DROP INDEX onboarding_sessions_by_fp_bid;
${DROP_NEWER_COLUMNS}
PRAGMA user_version = 9;
`;
const TAKE_RESULT_SEALS_AWAY = `${TAKE_SESSION_RECORDS_AWAY}
ALTER TABLE onboarding_sessions DROP COLUMN seal;
ALTER TABLE bank_link_intents DROP COLUMN seal;
ALTER TABLE bank_links DROP COLUMN seal;
ALTER TABLE onboardings DROP COLUMN seal;
ALTER TABLE decisions DROP COLUMN seal;
DROP INDEX idempotency_ids_by_entity;
DROP INDEX playbooks_by_age;
PRAGMA user_version = 7;
`;
const TAKE_SEALS_AWAY = `${TAKE_RESULT_SEALS_AWAY}
ALTER TABLE api_keys DROP COLUMN seal;
ALTER TABLE client_tokens DROP COLUMN seal;
ALTER TABLE webhooks DROP COLUMN seal;
ALTER TABLE entities DROP COLUMN seal;
DELETE FROM instance_keys WHERE name = 'grants';
DELETE FROM instance_values WHERE name IN ('grants', 'settings seal', 'tombstones');
DROP TABLE tombstones;
PRAGMA user_version = 5;
`;

/** Returns the vault key of a closed store that `environmentKey` (64 hexadecimal digits) opens. */
export function vaultKeyOf(storeFile: string, environmentKey: string): Uint8Array {
  const store = openBinding(storeFile);
  const slot = store.prepare("SELECT * FROM keyring_slots WHERE kind = 'environment'").get() as SlotRecord;
  store.close();
  const key = openSlot(slot, Buffer.from(environmentKey, 'hex'));
  if (!key) throw new Error('the key does not open the store');
  return key;
}

/** Removes every trace of seals, which is the most that somebody without the key can do. */
export function takeSealsAway(file: string): void {
  const store = openBinding(file);
  store.exec(TAKE_SEALS_AWAY);
  store.close();
}

/**
 * Turns a store, or a snapshot without its seal, into that of an older version. With `seals` 0 it has no seals. With 1
 * it seals the rows that grant something, but not the results of verifications. With 2 it has no records of sessions.
 * With 3 it adds up tombstones by exclusive or, as all before.
 */
export function makeStoreOlder(file: string, vaultKey: Uint8Array, seals: 0 | 1 | 2 | 3 = 0): void {
  if (seals === 0) takeSealsAway(file);
  const store = openBinding(file);
  if (seals === 1) store.exec(TAKE_RESULT_SEALS_AWAY);
  if (seals === 2) store.exec(TAKE_SESSION_RECORDS_AWAY);
  const roots = store.prepare('SELECT version, sealed_key FROM root_keys').all();
  for (const row of roots as { version: number; sealed_key: Uint8Array }[]) {
    const opened = openRootKey(vaultKey, row);
    if (!opened) throw new Error('a root key does not open');
    const key = grantKeyOf(store, { rootKey: opened.key, version: row.version });
    if (key !== undefined && seals > 0) {
      if (seals === 1) sealAsBefore(store, ENTITIES, key);
      if (seals === 2) sealAsBefore(store, SESSIONS, key);
      addUpAsBefore(store, key);
    }
    const { sealed_key } = sealRootKey(vaultKey, row.version, { key: opened.key, seals });
    store.prepare('UPDATE root_keys SET sealed_key = ? WHERE version = ?').run(sealed_key, row.version);
  }
  store.close();
}

/** The first version with seals didn't seal the result of an entity's verification. */
const ENTITIES = {
  table: 'entities',
  rows: `SELECT entities.id, fp_id, space, tenant, environment, kind, external_id, sandbox_id, entities.created_at
    FROM entities JOIN spaces ON spaces.id = space`,
};
/** The second version with seals didn't seal the entity that a session belongs to. */
const SESSIONS = {
  table: 'onboarding_sessions',
  rows: `SELECT onboarding_sessions.id, space, tenant, environment, digest, onboarding_sessions.created_at, expires_at, has_expired, completed_at,
      validation_digest, validation_expires_at, outcome
    FROM onboarding_sessions JOIN spaces ON spaces.id = space`,
};

/** Undefined when it is sealed under another root key. */
function grantKeyOf(
  store: Database,
  { rootKey, version }: { rootKey: Uint8Array; version: number },
): Uint8Array | undefined {
  const grants = store
    .prepare("SELECT sealed_key FROM instance_keys WHERE name = 'grants' AND root_key_version = ?")
    .pluck()
    .get(version) as Uint8Array | undefined;
  return grants && open(derivedKey(rootKey, 'instance key', 'grants'), grants);
}

/** Earlier versions kept the exclusive or of one digest for each tombstone. */
function addUpAsBefore(store: Database, key: Uint8Array): void {
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  const rows = store.prepare('SELECT kind, id, at FROM tombstones').raw().all();
  const bits = Buffer.alloc(32);
  for (const row of rows) {
    digest(`member of tombstones ${JSON.stringify(row)}`).forEach(
      (byte, at) => (bits[at] = (bits[at] ?? 0) ^ byte),
    );
  }
  const sum = `${rows.length} ${bits.toString('hex')}`;
  const value = `${sum} ${digest(`sum of tombstones ${sum}`).toString('hex')}`;
  store.prepare("UPDATE instance_values SET value = ? WHERE name = 'tombstones'").run(value);
}

function sealAsBefore(
  store: Database,
  { table, rows }: { table: string; rows: string },
  key: Uint8Array,
): void {
  for (const row of store.prepare(rows).raw().all() as (string | number | null | Uint8Array)[][]) {
    const values = row.map((value) =>
      value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
    );
    const message = `row ${JSON.stringify([table, ...values])}`;
    const seal = createHmac('sha256', key).update(message).digest();
    store.prepare(`UPDATE ${table} SET seal = ? WHERE id = ?`).run(seal, row[0]);
  }
}
