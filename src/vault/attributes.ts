/** What a browser or device would have told about an entity: sealed like its values, but no part of its vault. */
import type { Database } from '../storage/database.ts';
import { derivedKey, seal } from './envelope.ts';
import { indexDigest, storeFingerprints, type Fingerprint, type FingerprintMap } from './fingerprints.ts';
import type { VaultEntity } from './reader.ts';
import { deleteAttribute, saveAttribute, updateFingerprints } from './repository.ts';

export type AttributeName = 'device_id' | 'cookie_id' | 'ip_address';
export type Attributes = { readonly [Name in AttributeName]?: string | null | undefined };

/** The attributes that make two entities duplicates of each other (contract §6). */
const FINGERPRINTED: readonly AttributeName[] = ['device_id', 'cookie_id'];

/** Sets what is given; null takes it away. */
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
    const key = derivedKey(context.entityKey, 'attribute', entity.fp_id, name);
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
