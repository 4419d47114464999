/**
 * Root keys, sealed under the vault key. The context of a root key also records which rows of the store are sealed
 * (src/vault/grants). An editor of the database can remove seals but can't seal a root key, and so can't disguise the
 * store as one without seals.
 */
import { derivedKey, open, seal, unlessDamaged } from '../envelope.ts';
import { NEWEST_SEALS, type SealGeneration } from '../grants/index.ts';
import type { RootKeyRow } from './repository.ts';

export interface OpenRootKey {
  readonly key: Uint8Array;
  /** Which rows of its store are sealed. */
  readonly seals: SealGeneration;
}

/** Newest first. */
const CONTEXTS: readonly (readonly [SealGeneration, ...string[]])[] = [
  [4, 'root key', 'of sealed rows', 'results too', 'records of sessions too', 'tombstones as numbers'],
  [3, 'root key', 'of sealed rows', 'results too', 'records of sessions too'],
  [2, 'root key', 'of sealed rows', 'results too'],
  [1, 'root key', 'of sealed rows'],
  [0, 'root key'],
];

export function sealRootKey(
  vaultKey: Uint8Array,
  version: number,
  { key, seals = NEWEST_SEALS }: { readonly key: Uint8Array; readonly seals?: SealGeneration },
): RootKeyRow {
  return { version, sealed_key: seal(wrap(vaultKey, version, seals), key) };
}

/** Undefined when this vault key doesn't open it. */
export function openRootKey(
  vaultKey: Uint8Array,
  { version, sealed_key }: RootKeyRow,
): OpenRootKey | undefined {
  for (const [seals] of CONTEXTS) {
    const key = openOrNothing(wrap(vaultKey, version, seals), sealed_key);
    if (key) return { key, seals };
  }
  return undefined;
}

function wrap(vaultKey: Uint8Array, version: number, seals: SealGeneration): Uint8Array {
  const [, ...context] = CONTEXTS.find(([generation]) => generation === seals) ?? [];
  return derivedKey(vaultKey, ...context, String(version));
}

/** Undefined when the envelope doesn't open under this key. */
export function openOrNothing(key: Uint8Array, envelope: Uint8Array): Uint8Array | undefined {
  return unlessDamaged(() => open(key, envelope));
}
