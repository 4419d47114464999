/**
 * Texts outside of vaults that may still be personal: a reviewer's note, data of a future entity, the secret of a
 * webhook, requests of the vault proxy. Sealed under an instance key, each for its purpose and its row.
 */
import { isUint8Array } from 'node:util/types';
import type { Database } from '../storage/database.ts';
import { derivedKey, open, seal } from './envelope.ts';

/** The columns of such values; a value from another column doesn't open. docs/keys-and-data.md names each. */
export const PRIVATE_PURPOSES = [
  'reviewer note',
  'hit review',
  'note',
  'info request',
  'claim',
  'event body',
  'session request',
  'bank page',
  'rule value',
  'webhook secret',
  'access operator',
  'access reason',
  'proxy configuration',
] as const;

export type PrivatePurpose = (typeof PRIVATE_PURPOSES)[number];

export interface PrivateValues {
  /** `id` identifies the row and must never change. */
  seal(purpose: PrivatePurpose, id: string, text: string): Uint8Array;
  /** Throws `vault_damaged` when the value was changed, or belongs to another row. */
  open(purpose: PrivatePurpose, id: string, sealed: Uint8Array): string;
}

/** `key`: the instance key `private values`. */
export function createPrivateValues(key: Uint8Array): PrivateValues {
  return {
    seal: (purpose, id, text) => seal(derivedKey(key, purpose, id), Buffer.from(text, 'utf8')),
    open: (purpose, id, sealed) => Buffer.from(open(derivedKey(key, purpose, id), sealed)).toString('utf8'),
  };
}

/** How rows of a tenant and environment with sealed columns get into another store. */
interface Copying {
  /** Row ids of the target's spaces by those of the source. */
  readonly spaces: ReadonlyMap<number, number>;
  readonly reseal: (id: string, sealed: Uint8Array) => Uint8Array;
}

/** Copies the rows that `list` reads into a store that has none. The copy throws what `list` throws. */
export function sealedCopy<Row extends { readonly id: string; readonly space: number }>(
  list: (from: Database) => readonly Row[],
  insert: (to: Database, row: Row) => unknown,
) {
  return (from: Database, to: Database, { spaces, reseal }: Copying): void => {
    for (const row of list(from)) {
      const space = spaces.get(row.space);
      if (space !== undefined) insert(to, { ...resealed(row, reseal), space });
    }
  };
}

/** The row with its columns `sealed_*` sealed anew. */
function resealed<Row extends { readonly id: string }>(
  row: Row,
  reseal: (id: string, sealed: Uint8Array) => Uint8Array,
): Row {
  const changed = Object.entries<unknown>(row).flatMap(([column, value]) =>
    column.startsWith('sealed_') && isUint8Array(value) ? [[column, reseal(row.id, value)]] : [],
  );
  return { ...row, ...(Object.fromEntries(changed) as Partial<Row>) };
}
