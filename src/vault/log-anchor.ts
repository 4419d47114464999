/**
 * The head of the access log and the position of the store are stored beside the store as well as in it. This detects a
 * log that was shortened together with its head, and a store that lost commits or was replaced by an older one, since
 * all are behind the anchor. The anchor is written after the commits that it covers, within a second and when the daemon
 * stops. So it may lag behind the store but is never ahead of it. Writing it with each commit would double the time that
 * a commit waits for the disk. In exchange, what was committed in the last second before a kill can be cut off
 * undetected.
 *
 * A reset and a load start another log with the next number, so that neither looks shortened.
 */
import type { AnchorState } from '../nouns/access-log/facts.ts';
import { readAnchorFile, replaceAnchorFile, writeFirstAnchorFile } from '../storage/anchor-file.ts';
import { copyLog } from '../storage/checkpoints.ts';
import type { Database } from '../storage/database.ts';
import { forgetLogNumber } from '../storage/log-number.ts';
import { readPosition, writePosition } from '../storage/store-position.ts';
import type { WriteQueue } from '../storage/writer.ts';
import {
  findHash,
  findHead,
  findLast,
  findLogNumber,
  saveHead,
  saveLogNumber,
} from './access-log-repository.ts';
import { areEqual, hmac } from './envelope.ts';
import { jsonOf } from '../kernel/text/json.ts';
import { realTime } from '../kernel/time/real-time.ts';

/**
 * `level`: anchor and log agree. `anchor_behind`: the anchor doesn't have the last entries yet, which is normal for a
 * moment. `log_behind`: the log lacks entries that the anchor has. `missing`, `damaged`: the state of the anchor's
 * file. `none`: an instance in memory has no anchor.
 */

export interface AnchorVerdict {
  readonly state: AnchorState;
  /** The last entry that the anchor covers. */
  readonly seq: number | null;
}

export type LogAnchor = ReturnType<typeof createLogAnchor>;

interface Anchored {
  readonly log: number;
  readonly seq: number;
  readonly hash: string;
  /** Undefined in an anchor that predates it. */
  readonly position: number | undefined;
}

const NO_HASH = 'none';
/**
 * So that not all of a young store is in its log, the log is copied into the file at the first mark of a run and then
 * this often.
 */
const MARKS_PER_COPY = 10;

/** 32 bytes each: `anchor` never changes for a vault, `log` is the key of the access log. */
export interface AnchorKeys {
  readonly anchor: Uint8Array;
  readonly log: Uint8Array;
}

/**
 * Call it in the transaction that creates a vault whose store is beside `path`. Its log is anchored from the beginning,
 * so that no copy of it passes for a store that predates anchors, however old it is. If a crash leaves an anchor
 * without a vault, the next start replaces it.
 */
export function beginAnchoredLog(database: Database, path: string, { anchor: key, log }: AnchorKeys): void {
  writeFirstAnchorFile(path, print(key, { log: 1, seq: 0, hash: NO_HASH, position: 0 }));
  putLogNumber(database, key, 1);
  sealHead(database, log, undefined, true);
}

/** Numbers the log of `to`, whose keys these are, as the successor of the log of `from`. */
export function beginLogAfter(from: Database, to: Database, { anchor: key, log }: AnchorKeys): void {
  putLogNumber(to, key, Math.max(logNumber(from, key), logNumber(to, key)) + 1);
  writePosition(to, Math.max(readPosition(from), readPosition(to)) + 1);
  forgetLogNumber(to);
  markAnchored(to, log);
}

/** Makes what is left of a store that lost commits the state from which its anchor goes on. */
export function acceptLoss(database: Database, path: string, key: Uint8Array): void {
  const known = parse(key, readAnchorFile(path) ?? '');
  database.transaction(() => {
    putLogNumber(database, key, Math.max(logNumber(database, key), known?.log ?? 1) + 1);
    writePosition(database, Math.max(readPosition(database), known?.position ?? 0) + 1);
  })();
  writeFirstAnchorFile(path, print(key, toAnchor(database, key)));
}

/** What is wrong with the anchor beside a store whose vault has this key; undefined for its own, and without one. */
export function foreignAnchor(path: string, key: Uint8Array): string | undefined {
  const text = readAnchorFile(path);
  if (text === undefined || parse(key, text)) return undefined;
  return `The anchor ${path} is of another vault than the store beside it, or was changed: files of two instances may be mixed`;
}

function toAnchor(database: Database, key: Uint8Array): Anchored {
  const last = findLast(database);
  return {
    log: Math.max(logNumber(database, key), 1),
    seq: last?.seq ?? 0,
    hash: last ? Buffer.from(last.hash).toString('hex') : NO_HASH,
    position: readPosition(database),
  };
}

/** `path` undefined: stores nothing. */
export function createLogAnchor(options: {
  readonly path: string | undefined;
  readonly keys: AnchorKeys;
  readonly queue: WriteQueue;
  /** Milliseconds after the first commit that the anchor doesn't cover. */
  readonly delayMs?: number;
}) {
  const { path, keys, queue, delayMs = 1_000 } = options;
  const { database } = queue;
  const key = keys.anchor;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  /** Whether another log was started here; its anchor replaces any existing one. */
  let isNewLog = false;
  /** Whether commits were made that the position doesn't cover. */
  let isOutdated = false;
  let isMarking = false;
  let marks = 0;
  queue.beforeCommit(() => {
    isOutdated = !isMarking;
    isMarking = false;
    if (isOutdated) self.note();
  });
  queue.afterRollback(() => (isMarking = false));

  function judge(current: Database): AnchorVerdict {
    if (path === undefined) return { state: 'none', seq: null };
    const text = readAnchorFile(path);
    // A store that predates anchors gets its first one when the daemon serves.
    if (text === undefined) return { state: isBeforeFirst(current) ? 'anchor_behind' : 'missing', seq: null };
    const anchored = parse(key, text);
    if (!anchored) return { state: 'damaged', seq: null };
    return { state: compare(key, current, anchored), seq: anchored.seq };
  }

  /** Checks the head as well as the number: a row can be removed, but a head can't be forged without the key. */
  function isBeforeFirst(current: Database): boolean {
    const state = headState(current, keys.log, findLast(current));
    return findLogNumber(current) === undefined && state === 'plain';
  }

  /** Never overwrites an anchor that is ahead of the log. */
  async function write(): Promise<void> {
    if (path === undefined || !database.open) return;
    if (isOutdated) await mark();
    const { state } = judge(database);
    if (state === 'anchor_behind' || isNewLog) await writeAnchor(path);
    else if (state !== 'level') return;
    if (logNumber(database, key) === 0) putLogNumber(database, key, 1);
    markAnchored(database, keys.log);
  }

  /** The position covers what is committed before it, and with it. */
  async function mark(): Promise<void> {
    await queue.write((current) => {
      isMarking = true;
      writePosition(current, readPosition(current) + 1);
    });
    if (marks++ % MARKS_PER_COPY === 0) copyLog(database);
  }

  async function writeAnchor(file: string): Promise<void> {
    await replaceAnchorFile(file, print(key, toAnchor(database, key)));
    isNewLog = false;
  }

  const self = {
    judge,
    /** Has the anchor written soon, though nothing was committed since. */
    note(change?: 'another log'): void {
      if (change === 'another log') isNewLog = true;
      if (path === undefined || timer !== undefined) return;
      timer = realTime.setTimeout(() => void self.flush(), delayMs);
      timer.unref();
    },
    /** Call it in the transaction that starts another log. */
    beginAnother(current: Database): void {
      if (path === undefined) return;
      putLogNumber(current, key, Math.max(logNumber(current, key), 1) + 1);
    },
    /** Settles when the anchor covers everything committed before. Never throws: an anchor that lags does no damage. */
    flush(): Promise<void> {
      realTime.clearTimeout(timer);
      timer = undefined;
      return (writing = writing.then(write).catch(() => undefined));
    },
  };
  return self;
}

function compare(key: Uint8Array, database: Database, anchored: Anchored): AnchorState {
  // The first anchor of a store is written before the number of its log.
  const log = Math.max(logNumber(database, key), 1);
  if (log !== anchored.log) return log < anchored.log ? 'log_behind' : 'anchor_behind';
  const seq = findLast(database)?.seq ?? 0;
  const hash = anchored.seq === 0 ? undefined : findHash(database, anchored.seq);
  const known = hash ? Buffer.from(hash).toString('hex') : NO_HASH;
  const ahead = readPosition(database) - (anchored.position ?? -1);
  if (seq < anchored.seq || known !== anchored.hash || ahead < 0) return 'log_behind';
  return seq > anchored.seq || ahead > 0 ? 'anchor_behind' : 'level';
}

/** 0 when there is no number, or it isn't from this vault. */
function logNumber(database: Database, key: Uint8Array): number {
  const [number, mac] = (findLogNumber(database) ?? '').split(' ');
  const isOurs = isMac(mac, numberMac(key, Number(number)));
  return isOurs ? Number(number) : 0;
}

function putLogNumber(database: Database, key: Uint8Array, number: number): void {
  saveLogNumber(database, `${number} ${numberMac(key, number).toString('hex')}`);
}

function numberMac(key: Uint8Array, number: number): Buffer {
  return hmac(key, `log ${number}`);
}

function anchorMac(key: Uint8Array, { log, seq, hash, position }: Anchored): Buffer {
  return hmac(key, `anchor ${log} ${seq} ${hash}${position === undefined ? '' : ` ${position}`}`);
}

function print(key: Uint8Array, anchored: Anchored): string {
  return `${JSON.stringify({ ...anchored, mac: anchorMac(key, anchored).toString('hex') })}\n`;
}

function parse(key: Uint8Array, text: string): Anchored | undefined {
  const { log, seq, hash, position, mac } = (jsonOf(text) ?? {}) as Partial<Anchored & { mac: string }>;
  const numbers = [log, seq, ...(position === undefined ? [] : [position])];
  if (!numbers.every(Number.isSafeInteger) || typeof hash !== 'string') return undefined;
  const anchored = { log: Number(log), seq: Number(seq), hash, position };
  return isMac(mac, anchorMac(key, anchored)) ? anchored : undefined;
}

function isMac(hex: unknown, expected: Buffer): boolean {
  return typeof hex === 'string' && areEqual(Buffer.from(hex), Buffer.from(expected.toString('hex')));
}

// The head of the access log, under the key of the log: its last entry, and whether the log ever had an anchor beside
// the store. This way a store that had an anchor can't be disguised as one that never had any, whatever is removed.

type Last = { readonly seq: number; readonly hash: Uint8Array } | undefined;

export function sealHead(database: Database, key: Uint8Array, last: Last, isAnchored: boolean): void {
  saveHead(database, headMac(key, last, isAnchored));
}

/** `bad`: the head is missing, or belongs to a log that doesn't end with `last`. */
export function headState(database: Database, key: Uint8Array, last: Last): 'plain' | 'anchored' | 'bad' {
  const head = findHead(database);
  if (head === undefined) return 'bad';
  if (areEqual(head, headMac(key, last, true))) return 'anchored';
  return areEqual(head, headMac(key, last, false)) ? 'plain' : 'bad';
}

/** Leaves a bad head unchanged. */
function markAnchored(database: Database, key: Uint8Array): void {
  const last = findLast(database);
  if (headState(database, key, last) === 'plain') sealHead(database, key, last, true);
}

function headMac(key: Uint8Array, last: Last, isAnchored: boolean): Buffer {
  const hash = last ? Buffer.from(last.hash).toString('hex') : 'none';
  return hmac(key, `head ${last?.seq ?? 0} ${hash}${isAnchored ? ' anchored' : ''}`);
}
