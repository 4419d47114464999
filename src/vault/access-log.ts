/**
 * The access log: who read what, why, and who was refused (DESIGN §5, contract §11). Rows form a chain: each hash is
 * an HMAC-SHA256 over the hash before it and the row, under a key of the instance, so that a row that is changed,
 * removed or inserted shows. The head of the chain is sealed with every commit, so that a cut-off end shows too.
 */
import { timingSafeEqual } from 'node:crypto';
import { timestamp } from '../kernel/clock.ts';
import type { Database } from '../storage/database.ts';
import type { WriteQueue } from '../storage/writer.ts';
import {
  deleteRows,
  findHead,
  findLast,
  insertRow,
  iterateRows,
  saveHead,
  type AccessRow,
} from './access-log-repository.ts';
import { hmac } from './hmac.ts';

export interface AccessEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operation: 'decrypt' | 'download' | 'integrity' | 'proxy' | 'integration' | 'reflect' | 'search';
  readonly tenant: string;
  readonly environment: string;
  readonly fp_id: string | null;
  readonly identifiers: readonly string[];
  readonly actor: { readonly kind: string; readonly id: string };
  readonly outcome: 'granted' | 'refused';
  readonly reason: string | null;
  readonly request_id: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly checked: number;
  /** Hex hash of the last row; null when the log is empty. */
  readonly head: string | null;
  readonly first_bad_seq: number | null;
}

export interface AccessLog {
  /** Appends inside a write job. */
  append(database: Database, entry: AccessEntry): void;
  /** Recomputes the chain from its first row; answers the first row that doesn't fit. */
  verify(database: Database): Verification;
  /** Starts a new chain: at the first start and at a reset. */
  clear(database: Database): void;
}

const FIRST_PREV_HASH = Buffer.alloc(32);

export function createAccessLog(queue: WriteQueue, key: Uint8Array): AccessLog {
  let isHeadStale = false;
  /** The last row, kept over from the append before; undefined when it must be looked up. */
  let last: { seq: number; hash: Uint8Array } | undefined;
  queue.afterRollback(() => (last = undefined));
  queue.beforeCommit((database) => {
    if (!isHeadStale) return;
    saveHead(database, headMac(key, last ?? findLast(database)));
    isHeadStale = false;
  });

  return {
    append(database, entry) {
      last ??= findLast(database);
      const seq = (last?.seq ?? 0) + 1;
      const prevHash = last?.hash ?? FIRST_PREV_HASH;
      const row: Omit<AccessRow, 'hash'> = {
        seq,
        at: entry.at,
        operation: entry.operation,
        tenant: entry.tenant,
        environment: entry.environment,
        fp_id: entry.fp_id,
        identifiers: JSON.stringify(entry.identifiers),
        actor_kind: entry.actor.kind,
        actor_id: entry.actor.id,
        outcome: entry.outcome,
        reason: entry.reason,
        request_id: entry.request_id,
        prev_hash: prevHash,
      };
      const hash = rowHash(key, row);
      insertRow(database, { ...row, hash });
      last = { seq, hash };
      isHeadStale = true;
    },

    verify(database) {
      let previous: { seq: number; hash: Uint8Array } | undefined;
      let checked = 0;
      for (const row of iterateRows(database)) {
        const follows = row.seq === (previous?.seq ?? 0) + 1;
        const chained = isEqual(row.prev_hash, previous?.hash ?? FIRST_PREV_HASH);
        if (!follows || !chained || !isEqual(row.hash, rowHash(key, row))) {
          return { ok: false, checked, head: hex(previous?.hash), first_bad_seq: row.seq };
        }
        previous = { seq: row.seq, hash: row.hash };
        checked += 1;
      }
      const head = findHead(database);
      const isWhole = head !== undefined && isEqual(head, headMac(key, previous));
      return {
        ok: isWhole,
        checked,
        head: hex(previous?.hash),
        first_bad_seq: isWhole ? null : (previous?.seq ?? 0) + 1,
      };
    },

    clear(database) {
      deleteRows(database);
      last = undefined;
      isHeadStale = true;
    },
  };
}

/** The members of an entry as they are listed and hashed, in alphabetical order, without `hash` (contract §11). */
export function entryWithoutHash(row: Omit<AccessRow, 'hash'>) {
  return {
    actor: { id: row.actor_id, kind: row.actor_kind },
    at: timestamp(row.at),
    environment: row.environment,
    fp_id: row.fp_id,
    identifiers: JSON.parse(row.identifiers) as string[],
    operation: row.operation,
    outcome: row.outcome,
    prev_hash: Buffer.from(row.prev_hash).toString('hex'),
    reason: row.reason,
    request_id: row.request_id,
    seq: row.seq,
    tenant: row.tenant,
  };
}

/** Over the hash before, as the hex text an entry shows it, and the entry in canonical JSON. */
function rowHash(key: Uint8Array, row: Omit<AccessRow, 'hash'>): Buffer {
  const entry = entryWithoutHash(row);
  return hmac(key, entry.prev_hash + JSON.stringify(entry));
}

function headMac(key: Uint8Array, last: { seq: number; hash: Uint8Array } | undefined): Buffer {
  return hmac(key, `head ${last?.seq ?? 0} ${hex(last?.hash) ?? 'none'}`);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function hex(bytes: Uint8Array | undefined): string | null {
  return bytes ? Buffer.from(bytes).toString('hex') : null;
}
