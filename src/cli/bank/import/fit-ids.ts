/**
 * Ids of transactions that their bank has numbered. A FITID is unique in its account only, an id of the API on the whole
 * link (contract §7.4): the account goes into it. The same transaction has the same id whenever its statement comes.
 */
import { createHash } from 'node:crypto';
import type { StatementRow } from './rows.ts';

const TRANSACTION_ID = /^[A-Za-z0-9_.-]{1,128}$/;
const HASH_PREFIX = 'ofx-';
const HASH_DIGITS = 40;

/** Gives ids to the rows that have a FITID, once it is known which account of the link they go to. */
export function numberRows(rows: readonly StatementRow[]): StatementRow[] {
  return rows.map((row) => {
    const account = row.members['account_id'];
    if (row.fitId === undefined || typeof account !== 'string') return row;
    return { ...row, members: { ...row.members, transaction_id: transactionId(account, row.fitId) } };
  });
}

/** `<account>.<FITID>` where that may be an id, else a hash of the two. */
function transactionId(account: string, fitId: string): string {
  const id = `${account}.${fitId}`;
  if (TRANSACTION_ID.test(id)) return id;
  const hash = createHash('sha256')
    .update(JSON.stringify([account, fitId]))
    .digest('hex');
  return HASH_PREFIX + hash.slice(0, HASH_DIGITS);
}
