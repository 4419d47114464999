/**
 * The access log: who read what, why, and who was refused (docs/architecture.md#vault, contract §11). Rows form a
 * chain: each hash is an HMAC-SHA256 over the hash before it and the row, under a key of the instance, so that a row
 * that is changed, removed or inserted shows. The head of the chain is sealed with every commit, so that a cut-off end
 * shows too.
 */
import { timingSafeEqual } from 'node:crypto';
import { timestamp } from '../kernel/clock.ts';
import type { AccessEntry } from './access-entry.ts';
import type { Database } from '../storage/database.ts';
import type { WriteQueue } from '../storage/writer.ts';
import {
  deleteRows,
  findLast,
  findLogNumber,
  insertRows,
  iterateRows,
  type AccessRow,
} from './access-log-repository.ts';
import { countRuns, findMisplacedRow, insertRun, RUN_ROWS } from './access-log-runs-repository.ts';
import { hmac } from './hmac.ts';
import type { PrivateValues } from './private-values.ts';
import type { AnchorVerdict, LogAnchor } from './log-anchor.ts';
import { headState, sealHead } from './log-head.ts';

export interface Verification {
  readonly ok: boolean;
  readonly checked: number;
  /** Hex hash of the last row; null when the log is empty. */
  readonly head: string | null;
  readonly first_bad_seq: number | null;
  /** What the anchor beside the store says of it. */
  readonly anchor: AnchorVerdict;
}

export interface AccessLog {
  /** Appends inside a write job. */
  append(database: Database, entry: AccessEntry): void;
  /** Appends, together with those that come beside it; settles after the commit. */
  record(entry: AccessEntry): Promise<void>;
  /** Recomputes the chain from its first row; returns the first row that doesn't fit. */
  verify(database: Database): Verification;
  /** The name in a kept entry; null where it has none. Throws `vault_damaged` when it is another row's. */
  operatorOf(entry: { readonly seq: number; readonly operator?: string | null }): string | null;
  /** Starts a new chain, at a reset. */
  clear(database: Database): void;
}

/** The anchor can't vouch for the end of the log. */
const IN_DOUBT: ReadonlySet<AnchorVerdict['state']> = new Set(['log_behind', 'missing', 'damaged']);
/** What a log from before there were runs takes with one commit, so that none waits long for it. */
const RUNS_AT_A_TIME = 4;
const FIRST_PREV_HASH = Buffer.alloc(32);

export interface AccessLogOptions {
  /** Seals what is personal of an entry. */
  readonly privateValues: PrivateValues;
  /** Called with each entry once it is committed, as canonical JSON with nothing sealed in it. */
  readonly onEntry?: (entry: string) => void;
  readonly anchor?: LogAnchor;
}

export function createAccessLog(
  queue: WriteQueue,
  key: Uint8Array,
  { privateValues, onEntry = () => undefined, anchor }: AccessLogOptions,
): AccessLog {
  let isHeadStale = false;
  /** The last row, kept over from the append before; undefined when it must be looked up. */
  let last: { seq: number; hash: Uint8Array } | undefined;
  /** Once a head says so, all later ones do. */
  let isAnchored = false;
  /** How many runs there are; undefined when it must be looked up. */
  let runs: number | undefined;
  queue.afterRollback(() => {
    last = undefined;
    isAnchored = false;
    runs = undefined;
  });
  queue.beforeCommit((database) => {
    if (!isHeadStale) return;
    isAnchored ||= findLogNumber(database) !== undefined;
    sealHead(database, key, last ?? findLast(database), isAnchored);
    isHeadStale = false;
    if (last) makeRuns(database, last.seq);
  });

  /** Makes a run of each 1,024 rows that are complete. */
  function makeRuns(database: Database, rows: number): void {
    runs ??= countRuns(database);
    for (let made = 0; made < RUNS_AT_A_TIME && rows >= (runs + 1) * RUN_ROWS; made++) {
      insertRun(database, runs);
      runs += 1;
    }
  }

  /** Before the first change of a transaction. */
  function readHead(database: Database): void {
    last ??= findLast(database);
    if (!isHeadStale) isAnchored ||= headState(database, key, last) !== 'plain';
  }

  function append(database: Database, accesses: readonly AccessEntry[]): void {
    readHead(database);
    const rows: AccessRow[] = [];
    const shown: string[] = [];
    for (const access of accesses) {
      const seq = (last?.seq ?? 0) + 1;
      const place = { seq, prev_hash: hexOf(last?.hash ?? FIRST_PREV_HASH) };
      const { fp_id, operator } = access;
      const entry = canonicalEntry(access, place, operator && sealedOperator(privateValues, seq, operator));
      const hash = entryHash(key, place.prev_hash, entry);
      rows.push({ seq, fp_id, entry, hash });
      shown.push(operator === null ? entry : canonicalEntry(access, place, operator));
      last = { seq, hash };
    }
    insertRows(database, rows);
    isHeadStale = true;
    queue.afterCommit(() => {
      anchor?.note();
      for (const entry of shown) onEntry(entry);
    });
  }

  /** The chain as it is in the store. */
  function verifyChain(database: Database): Omit<Verification, 'anchor'> {
    let previous: { seq: number; hash: Uint8Array } | undefined;
    let checked = 0;
    for (const row of iterateRows(database)) {
      const prevHash = previous?.hash ?? FIRST_PREV_HASH;
      const follows = row.seq === (previous?.seq ?? 0) + 1 && isAbout(row, hexOf(prevHash));
      if (!follows || !isEqual(row.hash, entryHash(key, hexOf(prevHash), row.entry))) {
        return { ok: false, checked, head: previous ? hexOf(previous.hash) : null, first_bad_seq: row.seq };
      }
      previous = { seq: row.seq, hash: row.hash };
      checked += 1;
    }
    const isWhole = headState(database, key, previous) !== 'bad';
    // A row that its run leaves out is missing in the list of its entity.
    const badSeq = isWhole ? findMisplacedRow(database) : (previous?.seq ?? 0) + 1;
    return {
      ok: badSeq === undefined,
      checked,
      head: previous ? hexOf(previous.hash) : null,
      first_bad_seq: badSeq ?? null,
    };
  }

  return {
    append: (database, entry) => append(database, [entry]),
    record: queue.gather(append),

    verify(database) {
      const chain = verifyChain(database);
      const verdict = anchor?.judge(database) ?? { state: 'none', seq: null };
      return { ...chain, ok: chain.ok && !IN_DOUBT.has(verdict.state), anchor: verdict };
    },

    operatorOf({ seq, operator = null }) {
      if (operator === null) return null;
      return privateValues.open('access operator', String(seq), Buffer.from(operator, 'base64'));
    },

    clear(database) {
      readHead(database);
      deleteRows(database);
      last = undefined;
      runs = undefined;
      isHeadStale = true;
      anchor?.beginAnother(database);
      if (anchor) queue.afterCommit(() => anchor.note('another log'));
    },
  };
}

/** In the transaction that makes a vault: its empty log has a head, too, so that from then on none is a bad one. */
export function beginAccessLog(database: Database, key: Uint8Array): void {
  sealHead(database, key, undefined, false);
}

/**
 * The text that is hashed and kept: every member but the hash, in alphabetical order (contract §11). The operator is
 * sealed in it, and left out where there is none, as in entries from before there were any.
 */
function canonicalEntry(
  access: AccessEntry,
  place: { seq: number; prev_hash: string },
  operator: string | null,
): string {
  return JSON.stringify({
    actor: { id: access.actor.id, kind: access.actor.kind },
    at: timestamp(access.at),
    environment: access.environment,
    fp_id: access.fp_id,
    identifiers: access.identifiers,
    operation: access.operation,
    operator: operator ?? undefined,
    outcome: access.outcome,
    prev_hash: place.prev_hash,
    reason: access.reason,
    request_id: access.request_id,
    seq: place.seq,
    tenant: access.tenant,
  });
}

/** Whether the columns beside the entry say what the entry says: they are found by, but not hashed. */
function isAbout(row: AccessRow, prevHash: string): boolean {
  try {
    const entry = JSON.parse(row.entry) as { seq: unknown; fp_id: unknown; prev_hash: unknown };
    return entry.seq === row.seq && entry.fp_id === row.fp_id && entry.prev_hash === prevHash;
  } catch {
    return false;
  }
}

/** Over the hash before, as the hex text an entry shows, and the entry. */
function entryHash(key: Uint8Array, prevHash: string, entry: string): Buffer {
  return hmac(key, prevHash + entry);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

function sealedOperator(privateValues: PrivateValues, seq: number, operator: string): string {
  return Buffer.from(privateValues.seal('access operator', String(seq), operator)).toString('base64');
}
