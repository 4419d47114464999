/**
 * Texts that belong to an entity and are no data of its vault, such as what its bank says: sealed under the entity's key,
 * each for its row, and shredded with it.
 */
import { derivedKey, open, seal } from './envelope.ts';

/** Identifies a row: its kind, then its ids. They stay the same for the life of the row. */
export type RecordPlace = readonly [
  kind: 'bank account' | 'bank transaction' | 'bank link',
  ...ids: string[],
];

export interface EntityRecords {
  seal(place: RecordPlace, text: string): Uint8Array;
  /** Throws `vault_damaged` when it was changed, or is another row's or entity's. */
  open(place: RecordPlace, sealed: Uint8Array): string;
}

export function createEntityRecords(entityKey: Uint8Array, fpId: string): EntityRecords {
  const key = derivedKey(entityKey, 'record', fpId);
  return {
    seal: (place, text) => seal(derivedKey(key, ...place), Buffer.from(text, 'utf8')),
    open: (place, sealed) => Buffer.from(open(derivedKey(key, ...place), sealed)).toString('utf8'),
  };
}
