import type { Randomness } from './random.ts';

/** Id prefixes by what they name (contract §0.6). */
export const ID_PREFIX = {
  user: 'fp_id_',
  business: 'fp_bid_',
  apiKey: 'key_',
  request: 'req_',
} as const;

const ID_CHARACTERS = 22;

/** A fresh id: the prefix of its kind and 22 characters of `[0-9A-Za-z]`. */
export function newId(kind: keyof typeof ID_PREFIX, random: Randomness): string {
  return ID_PREFIX[kind] + random.id(ID_CHARACTERS);
}
