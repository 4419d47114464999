import type { Keyring } from './keyring/index.ts';
import { valueKey } from './reader.ts';

interface SealedEntity {
  readonly fp_id: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

/**
 * A cache of recently opened entity keys, so that the key of a busy entity isn't unsealed for every request. Each keeps
 * the derived keys of its values that were read; they are erased together.
 */
export interface EntityKeys {
  /** Throws `vault_damaged`. */
  open(entity: SealedEntity): Uint8Array;
  /** The key of one stored value. Throws `vault_damaged`. */
  ofValue(entity: SealedEntity, identifier: string, version: number): Uint8Array;
  /** Overwrites the keys of a deleted entity. */
  forget(fpId: string): void;
  forgetAll(): void;
}

interface Limits {
  /** 64 KiB of keys: enough for what is worked on at a time. */
  readonly entities?: number | undefined;
  /** As many as rows of values are kept (docs/decisions/0014); one more, and all of them are derived again. */
  readonly values?: number | undefined;
}

interface Kept {
  /** The sealed form shows whether the row still has this key. */
  readonly sealed: Buffer;
  /** The row's own bytes that were compared with it last: a kept row comes again as the same object. */
  seen: Uint8Array;
  readonly key: Uint8Array;
  readonly values: Map<string, { readonly version: number; readonly key: Uint8Array }>;
}

export function createEntityKeys(
  keyring: Keyring,
  { entities = 2_048, values = 8_192 }: Limits = {},
): EntityKeys {
  /** In the order of opening. */
  const kept = new Map<string, Kept>();
  let keptValues = 0;

  function forget(fpId: string): void {
    const known = kept.get(fpId);
    if (!known) return;
    known.key.fill(0);
    forgetValues(known);
    kept.delete(fpId);
  }

  function forgetValues(known: Kept): void {
    for (const { key } of known.values.values()) key.fill(0);
    keptValues -= known.values.size;
    known.values.clear();
  }

  function opened(entity: SealedEntity): Kept {
    const known = kept.get(entity.fp_id);
    if (known?.seen === entity.sealed_key) return known;
    if (known?.sealed.equals(entity.sealed_key)) {
      known.seen = entity.sealed_key;
      return known;
    }
    const key = keyring.openEntityKey(entity.fp_id, entity);
    if (known) forgetValues(known);
    const [oldest] = kept.size >= entities ? kept : [];
    if (oldest) {
      forgetValues(oldest[1]);
      kept.delete(oldest[0]);
    }
    const fresh = { sealed: Buffer.from(entity.sealed_key), seen: entity.sealed_key, key, values: new Map() };
    kept.set(entity.fp_id, fresh);
    return fresh;
  }

  return {
    forget,
    forgetAll: () => {
      for (const fpId of kept.keys()) forget(fpId);
    },
    open: (entity) => opened(entity).key,
    ofValue(entity, identifier, version) {
      const own = opened(entity);
      const known = own.values.get(identifier);
      if (known?.version === version) return known.key;
      const key = valueKey(own.key, { fp_id: entity.fp_id, identifier, version });
      if (keptValues >= values) for (const each of kept.values()) forgetValues(each);
      if (!own.values.has(identifier)) keptValues += 1;
      own.values.set(identifier, { version, key });
      return key;
    },
  };
}
