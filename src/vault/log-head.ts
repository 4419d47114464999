/**
 * The head of the access log, under the key of the log: its last entry, and whether the log ever had an anchor beside
 * the store. This way a store that had an anchor can't be disguised as one that never had any, whatever is removed.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../storage/database.ts';
import { findHead, findLast, saveHead } from './access-log-repository.ts';
import { hmac } from './hmac.ts';

type Last = { readonly seq: number; readonly hash: Uint8Array } | undefined;

export function sealHead(database: Database, key: Uint8Array, last: Last, isAnchored: boolean): void {
  saveHead(database, headMac(key, last, isAnchored));
}

/** `bad`: the head is missing, or belongs to a log that doesn't end with `last`. */
export function headState(database: Database, key: Uint8Array, last: Last): 'plain' | 'anchored' | 'bad' {
  const head = findHead(database);
  if (head?.length !== 32) return 'bad';
  if (timingSafeEqual(head, headMac(key, last, true))) return 'anchored';
  return timingSafeEqual(head, headMac(key, last, false)) ? 'plain' : 'bad';
}

/** Leaves a bad head unchanged. */
export function markAnchored(database: Database, key: Uint8Array): void {
  const last = findLast(database);
  if (headState(database, key, last) === 'plain') sealHead(database, key, last, true);
}

function headMac(key: Uint8Array, last: Last, isAnchored: boolean): Buffer {
  const hash = last ? Buffer.from(last.hash).toString('hex') : 'none';
  return hmac(key, `head ${last?.seq ?? 0} ${hash}${isAnchored ? ' anchored' : ''}`);
}
