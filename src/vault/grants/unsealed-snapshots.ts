/**
 * Notes whether snapshots beside the store still need seals: those of an older vault, until each has its own. The note
 * is authenticated.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../storage/database.ts';
import { hmac } from '../hmac.ts';
import { deleteValue, findValue, putValue } from '../../storage/instance-values.ts';
import { grantKey } from './row-seals.ts';

const NAME = 'unsealed snapshots';

export function noteUnsealedSnapshots(database: Database): void {
  putValue(database, NAME, mac(database).toString('hex'));
}

export function hasUnsealedSnapshots(database: Database): boolean {
  const stored = Buffer.from(findValue(database, NAME) ?? '', 'hex');
  const expected = mac(database);
  return stored.length === expected.length && timingSafeEqual(stored, expected);
}

export function forgetUnsealedSnapshots(database: Database): void {
  deleteValue(database, NAME);
}

function mac(database: Database): Buffer {
  return hmac(grantKey(database), NAME);
}
