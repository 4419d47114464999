/**
 * Blind indexes (contract §1.2, docs/architecture.md#vault) find entities with the same value without opening one. The
 * entity's row has its indexes by slot, so that a change finds those it replaces. The table only finds entities by
 * digest, and covers new ones a moment later (fingerprint-listing.ts).
 */
import type { Database } from '../storage/database.ts';
import { derivedKey } from './envelope.ts';
import { hmac } from './hmac.ts';
import { deleteFingerprint, insertFingerprints } from './fingerprints-repository.ts';
import { fingerprintParts, fingerprintSlotsTouchedBy } from './identifiers/index.ts';

/** Tenant and environment: fingerprints of different spaces are unrelated. */
export interface FingerprintSpace {
  readonly tenant: string;
  readonly environment: string;
}

export type Fingerprint = (kind: string, parts: readonly string[]) => Buffer;

/** Hex digests by slot, such as `ssn9` or `card_number_cvc/primary`. */
export type FingerprintMap = Readonly<Record<string, string>>;

/** Enough to rule out accidental collisions, at half the row size of the whole digest. */
const INDEX_BYTES = 16;

/** HMAC-SHA256(K, kind 00 part 1F part …) with a key K for each space. */
export function createFingerprinter(rootKey: Uint8Array): (space: FingerprintSpace) => Fingerprint {
  const bySpace = new Map<string, Fingerprint>();
  return ({ tenant, environment }) => {
    const name = `${tenant}/${environment}`;
    let fingerprint = bySpace.get(name);
    if (!fingerprint) {
      const key = derivedKey(rootKey, 'space', tenant, environment);
      fingerprint = (kind, parts) => hmac(key, `${kind}\0${parts.join('\x1f')}`);
      bySpace.set(name, fingerprint);
    }
    return fingerprint;
  };
}

/** The part of a fingerprint that is stored in the index. */
export function indexDigest(fingerprint: Buffer): Buffer {
  return fingerprint.subarray(0, INDEX_BYTES);
}

/** The indexes after a change of these identifiers; `read` returns the new values. */
export function refreshedFingerprints(
  before: FingerprintMap,
  change: {
    changed: Iterable<string>;
    read: (identifier: string) => string | undefined;
    fingerprint: Fingerprint;
  },
): FingerprintMap {
  const after: Record<string, string> = { ...before };
  for (const slot of fingerprintSlotsTouchedBy(change.changed)) {
    const name = slot.slot === '' ? slot.kind : `${slot.kind}/${slot.slot}`;
    const parts = fingerprintParts(slot, change.read);
    if (parts) after[name] = indexDigest(change.fingerprint(slot.kind, parts)).toString('hex');
    else Reflect.deleteProperty(after, name);
  }
  return after;
}

/** Updates the table from `before` to `after`. */
export function storeFingerprints(
  database: Database,
  entity: number,
  { before, after }: { before: FingerprintMap; after: FingerprintMap },
): void {
  const kept = new Set(Object.values(after));
  const had = new Set(Object.values(before));
  for (const digest of had)
    if (!kept.has(digest)) deleteFingerprint(database, Buffer.from(digest, 'hex'), entity);
  const added = [...kept].filter((digest) => !had.has(digest));
  insertFingerprints(
    database,
    added.map((digest) => [Buffer.from(digest, 'hex'), entity]),
  );
}
