/**
 * Root keys as they are sealed under the vault key. How they are sealed also says whether the rows of the store carry
 * seals (src/vault/grants): whoever edits the database can take seals away, but can't seal a root key, and so can't make
 * the store pass for one from before there were any.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { derivedKey, open, seal } from '../envelope.ts';
import type { RootKeyRow } from './repository.ts';

export interface OpenRootKey {
  readonly key: Uint8Array;
  /** Whether it is of a store from before rows carried seals. */
  readonly isOld: boolean;
}

export function sealRootKey(vaultKey: Uint8Array, version: number, { key, isOld }: OpenRootKey): RootKeyRow {
  return { version, sealed_key: seal(wrap(vaultKey, version, isOld), key) };
}

/** Undefined when this vault key doesn't open it. */
export function openRootKey(
  vaultKey: Uint8Array,
  { version, sealed_key }: RootKeyRow,
): OpenRootKey | undefined {
  for (const isOld of [false, true]) {
    const key = openOrNothing(wrap(vaultKey, version, isOld), sealed_key);
    if (key) return { key, isOld };
  }
  return undefined;
}

function wrap(vaultKey: Uint8Array, version: number, isOld: boolean): Uint8Array {
  const context = isOld ? ['root key'] : ['root key', 'of sealed rows'];
  return derivedKey(vaultKey, ...context, String(version));
}

/** Undefined when the envelope doesn't open under this key. */
export function openOrNothing(key: Uint8Array, envelope: Uint8Array): Uint8Array | undefined {
  try {
    return open(key, envelope);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'vault_damaged') return undefined;
    throw error;
  }
}
