/**
 * The access log: who read what and why, and who was refused (docs/architecture.md#vault, contract §11). Rows form a
 * chain: each hash is an HMAC-SHA256 over the previous hash and the row, under a key of the instance, so that a
 * changed, removed or inserted row is detected. The head of the chain is sealed with every commit, so that a truncated
 * log is detected, too.
 */
import { ACT_OPERATIONS } from '../nouns/access-log/facts.ts';
import { timestamp } from '../kernel/time/clock.ts';
import { jsonOf, quoted } from '../kernel/text/json.ts';
import { type Database, nextTurnOf } from '../storage/database.ts';
import type { WriteQueue } from '../storage/writer.ts';
import type { AccessEntry } from './access-entry.ts';
import {
  type AccessRow,
  deleteRows,
  findLast,
  findLogNumber,
  insertRows,
  listRowsAfter,
} from './access-log-repository.ts';
import {
  countRuns,
  findMisplacedRow,
  findRowOfNoRun,
  insertRun,
  RUN_ROWS,
} from './access-log-runs-repository.ts';
import { areEqual, hmac } from './envelope.ts';
import { type AnchorVerdict, type LogAnchor, headState, sealHead } from './log-anchor.ts';
import type { PrivateValues } from './private-values.ts';

// Verifies the access log in slices, between which other requests have their turn. It judges the log of one moment: the
// entries up to the last one at the beginning, with the head and the anchor of then. Later entries don't disturb it.

interface Verification {
  readonly ok: boolean;
  readonly checked: number;
  /** Hex hash of the last row; null when the log is empty. */
  readonly head: string | null;
  readonly first_bad_seq: number | null;
  /** The verdict of the anchor beside the store. */
  readonly anchor: AnchorVerdict;
}

/** Each takes some microseconds. */
export const ROWS_PER_TURN = 100;
/** States in which the anchor can't confirm the end of the log. */
const IN_DOUBT: ReadonlySet<AnchorVerdict['state']> = new Set(['log_behind', 'missing', 'damaged']);
/** The hash before the first row. */
const FIRST_PREV_HASH = Buffer.alloc(32);

/** Undefined when another log began meanwhile. */
async function verifyLog(
  database: Database,
  key: Uint8Array,
  { anchor, isStillThisLog }: { anchor: LogAnchor | undefined; isStillThisLog: () => boolean },
): Promise<Verification | undefined> {
  const last = findLast(database);
  const isHeadBad = headState(database, key, last) === 'bad';
  const runs = countRuns(database);
  const verdict = anchor?.judge(database) ?? { state: 'none', seq: null };
  const verified = (checked: number, previous: Link | undefined, bad: number | null): Verification => ({
    ok: bad === null && !IN_DOUBT.has(verdict.state),
    checked,
    head: previous ? hexOf(previous.hash) : null,
    first_bad_seq: bad,
    anchor: verdict,
  });

  let previous: Link | undefined;
  let checked = 0;
  for (let isMore = last !== undefined; isMore;) {
    if (!isStillThisLog()) return undefined;
    const part = { until: last?.seq ?? 0, limit: ROWS_PER_TURN };
    const rows = listRowsAfter(database, previous?.seq, part);
    for (const row of rows) {
      if (!isNext(key, row, previous)) return verified(checked, previous, row.seq);
      previous = { seq: row.seq, hash: row.hash };
      checked += 1;
    }
    isMore = rows.length === ROWS_PER_TURN;
    if (isMore) await nextTurnOf(database);
  }
  const isWhole = !isHeadBad && previous?.seq === last?.seq;
  if (!isWhole) return verified(checked, previous, (previous?.seq ?? 0) + 1);

  // A row that is missing from its run would be missing from its entity's list.
  let misplaced = findRowOfNoRun(database) ?? Infinity;
  for (let run = 0; run < runs; run++) {
    await nextTurnOf(database);
    if (!isStillThisLog()) return undefined;
    misplaced = Math.min(misplaced, findMisplacedRow(database, run) ?? Infinity);
  }
  return verified(checked, previous, misplaced === Infinity ? null : misplaced);
}

/** A row that was verified. */
type Link = Pick<AccessRow, 'seq' | 'hash'>;

function isNext(key: Uint8Array, row: AccessRow, previous: Link | undefined): boolean {
  const prevHash = hexOf(previous?.hash ?? FIRST_PREV_HASH);
  const follows = row.seq === (previous?.seq ?? 0) + 1 && isAbout(row, prevHash);
  return follows && areEqual(row.hash, entryHash(key, prevHash, row.entry));
}

/** Whether the columns agree with the entry: they are used for look-ups and are not part of the hash. */
function isAbout(row: AccessRow, prevHash: string): boolean {
  const entry = jsonOf(row.entry) as { seq: unknown; fp_id: unknown; prev_hash: unknown } | null | undefined;
  return entry?.seq === row.seq && entry.fp_id === row.fp_id && entry.prev_hash === prevHash;
}

/** Hashes the previous hash, in its hex form, and the entry. */
function entryHash(key: Uint8Array, prevHash: string, entry: string): Buffer {
  return hmac(key, prevHash + entry);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

export interface AccessLog {
  /** Appends inside a write job. */
  append(database: Database, entry: AccessEntry): void;
  /** Appends, together with those that come beside it; settles after the commit. */
  record(entry: AccessEntry): Promise<void>;
  /** Recomputes the chain from its first row, in slices; returns the first row with a mismatch. */
  verify(database: Database): Promise<Verification>;
  /** The operator's name in a stored entry; null if it has none. Throws `vault_damaged` when it is another row's. */
  operatorOf(entry: { readonly seq: number; readonly operator?: string | null }): string | null;
  /** The reason in a stored entry. Throws `vault_damaged` when it is another row's. */
  reasonOf(entry: Pick<AccessEntry, 'operation' | 'reason'> & { readonly seq: number }): string | null;
  /** Starts a new chain, for a reset. */
  clear(database: Database): void;
}

/** Older logs are indexed at this rate per commit, so that no commit takes long. */
const RUNS_AT_A_TIME = 4;

export interface AccessLogOptions {
  /** Seals the personal part of an entry. */
  readonly privateValues: PrivateValues;
  /** Called with each entry after its commit, as canonical JSON with its operator and without the reason of an action. */
  readonly onEntry?: (entry: string) => void;
  readonly anchor?: LogAnchor;
}

export function createAccessLog(
  queue: WriteQueue,
  key: Uint8Array,
  { privateValues, onEntry = () => undefined, anchor }: AccessLogOptions,
): AccessLog {
  let isHeadStale = false;
  /** The last row, cached from the previous append; undefined when it must be read. */
  let last: { seq: number; hash: Uint8Array } | undefined;
  /** Once a head says so, all later ones do. */
  let isAnchored = false;
  /** How often another log was begun. */
  let cleared = 0;
  /** The number of runs; undefined when it must be read. */
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

  /** Creates a run for each complete group of 1,024 rows. */
  function makeRuns(database: Database, rows: number): void {
    runs ??= countRuns(database);
    for (let made = 0; made < RUNS_AT_A_TIME && rows >= (runs + 1) * RUN_ROWS; made++) {
      insertRun(database, runs);
      runs += 1;
    }
  }

  /** Call it before the first change of a transaction. */
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
      const { fp_id, operator, reason } = access;
      const sealedReason = reason !== null && isAct(access) ? sealed('access reason', seq, reason) : reason;
      const entry = canonicalEntry(
        { ...access, reason: sealedReason },
        place,
        operator && sealed('access operator', seq, operator),
      );
      const hash = entryHash(key, place.prev_hash, entry);
      rows.push({ seq, fp_id, entry, hash });
      const isSealed = reason !== sealedReason;
      shown.push(
        operator === null && !isSealed
          ? entry
          : canonicalEntry({ ...access, reason: isSealed ? null : reason }, place, operator),
      );
      last = { seq, hash };
    }
    insertRows(database, rows);
    isHeadStale = true;
    queue.afterCommit(() => {
      for (const entry of shown) onEntry(entry);
    });
  }

  function sealed(purpose: 'access operator' | 'access reason', seq: number, text: string): string {
    return Buffer.from(privateValues.seal(purpose, String(seq), text)).toString('base64');
  }

  return {
    append: (database, entry) => append(database, [entry]),
    record: queue.gather(append),

    async verify(database) {
      for (;;) {
        const begun = cleared;
        const isStillThisLog = () => cleared === begun;
        const verification = await verifyLog(database, key, { anchor, isStillThisLog });
        if (verification) return verification;
      }
    },

    operatorOf({ seq, operator = null }) {
      if (operator === null) return null;
      return privateValues.open('access operator', String(seq), Buffer.from(operator, 'base64'));
    },

    reasonOf({ seq, reason, ...entry }) {
      if (reason === null || !isAct(entry)) return reason;
      return privateValues.open('access reason', String(seq), Buffer.from(reason, 'base64'));
    },

    clear(database) {
      readHead(database);
      cleared += 1;
      deleteRows(database);
      last = undefined;
      runs = undefined;
      isHeadStale = true;
      anchor?.beginAnother(database);
      if (anchor) queue.afterCommit(() => anchor.note('another log'));
    },
  };
}

/**
 * Call it in the transaction that creates a vault. An empty log gets a head, too, so that a missing head is an error
 * from then on.
 */
export function beginAccessLog(database: Database, key: Uint8Array): void {
  sealHead(database, key, undefined, false);
}

/**
 * The text that is hashed and stored: every member except the hash, in alphabetical order (contract §11). The operator
 * and the reason of an action are sealed in it. Without an operator, an effect or results the member is left out, as
 * in entries that predate it.
 */
function canonicalEntry(
  access: AccessEntry,
  place: { seq: number; prev_hash: string },
  operator: string | null,
): string {
  const {
    actor,
    at,
    effect,
    environment,
    fp_id,
    identifiers,
    operation,
    outcome,
    reason,
    request_id,
    results,
    tenant,
  } = access;
  // As `JSON.stringify` writes it, which takes twice as long for such an object.
  return (
    `{"actor":{"id":${quoted(actor.id)},"kind":${quoted(actor.kind)}},"at":"${timestamp(at)}"` +
    (effect === undefined ? '' : `,"effect":${quoted(effect)}`) +
    `,"environment":${quoted(environment)},"fp_id":${quotedOrNull(fp_id)}` +
    `,"identifiers":[${identifiers.map(quoted).join(',')}],"operation":${quoted(operation)}` +
    (operator === null ? '' : `,"operator":${quoted(operator)}`) +
    `,"outcome":${quoted(outcome)},"prev_hash":"${place.prev_hash}","reason":${quotedOrNull(reason)}` +
    `,"request_id":${quoted(request_id)}` +
    (results === undefined ? '' : `,"results":${JSON.stringify(results)}`) +
    `,"seq":${place.seq},"tenant":${quoted(tenant)}}`
  );
}

function quotedOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

function isAct({ operation }: Pick<AccessEntry, 'operation'>): boolean {
  return ACT_OPERATIONS.some((act) => act === operation);
}
