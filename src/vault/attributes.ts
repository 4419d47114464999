/**
 * Attributes that a browser or device would report about an entity: sealed like its values, but not part of its vault.
 */
import type { Database } from '../storage/database.ts';
import { derivedKey, open, seal } from './envelope.ts';
import { indexDigest, storeFingerprints, type Fingerprint, type FingerprintMap } from './fingerprints.ts';
import type { VaultEntity } from './reader.ts';
import { deleteAttribute, findAttribute, saveAttribute, updateFingerprints } from './repository.ts';

export type AttributeName = 'device_id' | 'cookie_id' | 'ip_address';
export type Attributes = { readonly [Name in AttributeName]?: string | null | undefined };

/** The attributes that make two entities duplicates of each other (contract §6). */
const FINGERPRINTED: readonly AttributeName[] = ['device_id', 'cookie_id'];

/** Sets the given attributes; null removes one. */
export function writeAttributes(
  database: Database,
  entity: VaultEntity,
  attributes: Attributes,
  context: { entityKey: Uint8Array; fingerprint: Fingerprint; now: number },
): void {
  const before = JSON.parse(entity.fingerprints) as FingerprintMap;
  const after: Record<string, string> = { ...before };
  for (const name of ['device_id', 'cookie_id', 'ip_address'] as const) {
    const value = attributes[name];
    if (value === undefined) continue;
    Reflect.deleteProperty(after, name);
    if (value === null) {
      deleteAttribute(database, entity.id, name);
      continue;
    }
    const key = attributeKey(context.entityKey, entity, name);
    saveAttribute(database, { entity: entity.id, name, sealed: seal(key, Buffer.from(value, 'utf8')) });
    if (FINGERPRINTED.includes(name)) {
      after[name] = indexDigest(context.fingerprint(name, [value])).toString('hex');
    }
  }
  storeFingerprints(database, entity.id, { before, after });
  updateFingerprints(database, {
    entity: entity.id,
    fingerprints: JSON.stringify(after),
    updated_at: context.now,
  });
}

export function readAttribute(
  database: Database,
  entity: VaultEntity,
  name: AttributeName,
  entityKey: Uint8Array,
): string | undefined {
  const sealed = findAttribute(database, entity.id, name);
  return sealed && Buffer.from(open(attributeKey(entityKey, entity, name), sealed)).toString('utf8');
}

function attributeKey(entityKey: Uint8Array, { fp_id }: VaultEntity, name: AttributeName): Uint8Array {
  return derivedKey(entityKey, 'attribute', fp_id, name);
}
