/**
 * Texts that belong to an entity but not to its vault, such as bank data: sealed under the entity's key for one row
 * each, and shredded with it.
 */
import { derivedKey, open, seal } from './envelope.ts';

/** Identifies a row by its kind and ids, which must never change. */
export type RecordPlace = readonly [
  kind: 'bank account' | 'bank transaction' | 'bank link',
  ...ids: string[],
];

export interface EntityRecords {
  seal(place: RecordPlace, text: string): Uint8Array;
  /** Throws `vault_damaged` when the text was changed, or belongs to another row or entity. */
  open(place: RecordPlace, sealed: Uint8Array): string;
}

export function createEntityRecords(entityKey: Uint8Array, fpId: string): EntityRecords {
  const key = derivedKey(entityKey, 'record', fpId);
  return {
    seal: (place, text) => seal(derivedKey(key, ...place), Buffer.from(text, 'utf8')),
    open: (place, sealed) => Buffer.from(open(derivedKey(key, ...place), sealed)).toString('utf8'),
  };
}
