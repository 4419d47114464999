/**
 * Texts that are no vault data and may be personal all the same: a reviewer's note, data for an entity that isn't there
 * yet, the secret of a webhook, what the vault proxy sends. Sealed under an instance key, each for its purpose and its row.
 */
import { derivedKey, open, seal } from './envelope.ts';

/** The column of the value; a value of another column doesn't open. */
export type PrivatePurpose =
  | 'reviewer note'
  | 'hit review'
  | 'note'
  | 'session request'
  | 'bank page'
  | 'rule value'
  | 'webhook secret'
  | 'access operator'
  | 'proxy configuration';

export interface PrivateValues {
  /** `id` is of the row it is kept in, and stays the same as long as that. */
  seal(purpose: PrivatePurpose, id: string, text: string): Uint8Array;
  /** Throws `vault_damaged` when it was changed, or is another row's. */
  open(purpose: PrivatePurpose, id: string, sealed: Uint8Array): string;
}

/** `key`: the instance key `private values`. */
export function createPrivateValues(key: Uint8Array): PrivateValues {
  return {
    seal: (purpose, id, text) => seal(derivedKey(key, purpose, id), Buffer.from(text, 'utf8')),
    open: (purpose, id, sealed) => Buffer.from(open(derivedKey(key, purpose, id), sealed)).toString('utf8'),
  };
}
