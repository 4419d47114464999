/**
 * The head of the access log: its last entry, and whether the log ever had an anchor beside the store, under the key of
 * the log. A store that had one doesn't pass for one that has none yet, whatever is removed beside it or from it.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { findHead, findLast, saveHead } from './access-log-repository.ts';
import { hmac } from './hmac.ts';

type Last = { readonly seq: number; readonly hash: Uint8Array } | undefined;

export function sealHead(database: Database, key: Uint8Array, last: Last, isAnchored: boolean): void {
  saveHead(database, headMac(key, last, isAnchored));
}

/** `bad`: there is none, or it is of another log than the one that ends with `last`. */
export function headState(database: Database, key: Uint8Array, last: Last): 'plain' | 'anchored' | 'bad' {
  const head = findHead(database);
  if (head?.length !== 32) return 'bad';
  if (timingSafeEqual(head, headMac(key, last, true))) return 'anchored';
  return timingSafeEqual(head, headMac(key, last, false)) ? 'plain' : 'bad';
}

/** A head that is bad stays so. */
export function markAnchored(database: Database, key: Uint8Array): void {
  const last = findLast(database);
  if (headState(database, key, last) === 'plain') sealHead(database, key, last, true);
}

function headMac(key: Uint8Array, last: Last, isAnchored: boolean): Buffer {
  const hash = last ? Buffer.from(last.hash).toString('hex') : 'none';
  return hmac(key, `head ${last?.seq ?? 0} ${hash}${isAnchored ? ' anchored' : ''}`);
}
