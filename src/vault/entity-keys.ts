import type { Keyring } from './keyring/index.ts';

interface SealedEntity {
  readonly fp_id: string;
  readonly root_key_version: number;
  readonly sealed_key: Uint8Array;
}

/** A cache of recently opened entity keys, so that the key of a busy entity isn't unsealed for every request. */
export interface EntityKeys {
  /** Throws `vault_damaged`. */
  open(entity: SealedEntity): Uint8Array;
  /** Overwrites the key of a deleted entity. */
  forget(fpId: string): void;
  forgetAll(): void;
}

/** 64 KiB of keys: enough for the entities in use at a time. */
const KEPT_KEYS = 2_048;

export function createEntityKeys(keyring: Keyring, limit = KEPT_KEYS): EntityKeys {
  /** In the order of opening. The sealed form shows whether the row still has this key. */
  const kept = new Map<string, { sealed: Buffer; key: Uint8Array }>();

  function forget(fpId: string): void {
    kept.get(fpId)?.key.fill(0);
    kept.delete(fpId);
  }

  return {
    forget,
    forgetAll: () => {
      for (const fpId of kept.keys()) forget(fpId);
    },
    open(entity) {
      const known = kept.get(entity.fp_id);
      if (known?.sealed.equals(entity.sealed_key)) return known.key;
      const key = keyring.openEntityKey(entity.fp_id, entity);
      const [oldest] = kept.size >= limit ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(entity.fp_id, { sealed: Buffer.from(entity.sealed_key), key });
      return key;
    },
  };
}
