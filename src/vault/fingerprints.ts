/**
 * Blind indexes (contract §1.2, docs/architecture.md#vault): who else has this value, without opening one. A vault's
 * indexes by slot stand in its entity's row, so that a change finds the ones it replaces; the table only finds entities
 * by digest, and lists a new one's a moment later (fingerprint-listing.ts).
 */
import type { Database } from '../storage/database.ts';
import { derivedKey } from './envelope.ts';
import { hmac } from './hmac.ts';
import { deleteFingerprint, insertFingerprints } from './fingerprints-repository.ts';
import { fingerprintParts, fingerprintSlotsTouchedBy } from './identifiers/index.ts';

/** Tenant and environment: fingerprints of one space say nothing in another. */
export interface FingerprintSpace {
  readonly tenant: string;
  readonly environment: string;
}

export type Fingerprint = (kind: string, parts: readonly string[]) => Buffer;

/** Hex digests by slot, such as `ssn9` or `card_number_cvc/primary`. */
export type FingerprintMap = Readonly<Record<string, string>>;

/** Enough that no two values ever meet by chance, half of what a row would be with the whole digest. */
const INDEX_BYTES = 16;

/** HMAC-SHA256(K, kind 00 part 1F part …) with K of the space, by space. */
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

/** The part of a fingerprint that the index holds. */
export function indexDigest(fingerprint: Buffer): Buffer {
  return fingerprint.subarray(0, INDEX_BYTES);
}

/** The indexes after a change of these identifiers; `read` gives the values after it. */
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

/** Makes the table say what `after` says, where it said `before`. */
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
