/**
 * The head of the access log is stored beside the store as well as in it. This detects a log that was shortened
 * together with its head, and a store that was replaced by an older one, since both are behind the anchor. The anchor
 * is written after the commits that it covers, within a second and when the daemon stops. So it may lag behind the log
 * but is never ahead of it. Writing it with each commit would double the time that a commit waits for the disk. In
 * exchange, entries of the last second before a kill can be cut off undetected, if the previous head is restored with
 * them.
 *
 * A reset and a load start another log with the next number, so that neither looks shortened.
 */
import { timingSafeEqual } from 'node:crypto';
import type { AnchorState } from '../contract/facts/access-log.ts';
import { readAnchorFile, replaceAnchorFile, writeFirstAnchorFile } from '../storage/anchor-file.ts';
import type { Database } from '../storage/database.ts';
import { findHash, findLast, findLogNumber, saveLogNumber } from './access-log-repository.ts';
import { hmac } from './hmac.ts';
import { headState, markAnchored, sealHead } from './log-head.ts';

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

export interface LogAnchor {
  judge(database: Database): AnchorVerdict;
  /** Reports that new entries, or another log, were committed. */
  note(change?: 'another log'): void;
  /** Call it in the transaction that starts another log. */
  beginAnother(database: Database): void;
  /** Settles when the anchor covers everything committed before. Never throws: an anchor that lags does no damage. */
  flush(): Promise<void>;
}

interface Anchored {
  readonly log: number;
  readonly seq: number;
  readonly hash: string;
}

const NO_HASH = 'none';

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
  writeFirstAnchorFile(path, print(key, { log: 1, seq: 0, hash: NO_HASH }));
  putLogNumber(database, key, 1);
  sealHead(database, log, undefined, true);
}

/** Numbers the log of `to`, whose keys these are, as the successor of the log of `from`. */
export function beginLogAfter(from: Database, to: Database, { anchor: key, log }: AnchorKeys): void {
  putLogNumber(to, key, Math.max(logNumber(from, key), logNumber(to, key)) + 1);
  markAnchored(to, log);
}

/** `path` undefined: stores nothing. */
export function createLogAnchor(options: {
  readonly path: string | undefined;
  readonly keys: AnchorKeys;
  readonly database: Database;
  /** Milliseconds after the first commit that the anchor doesn't cover. */
  readonly delayMs?: number;
}): LogAnchor {
  const { path, keys, database, delayMs = 1_000 } = options;
  const key = keys.anchor;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  /** Whether another log was started here; its anchor replaces any existing one. */
  let isNewLog = false;

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
    const { state } = judge(database);
    if (state === 'anchor_behind' || isNewLog) await writeAnchor(path);
    else if (state !== 'level') return;
    if (logNumber(database, key) === 0) putLogNumber(database, key, 1);
    markAnchored(database, keys.log);
  }

  async function writeAnchor(file: string): Promise<void> {
    const last = findLast(database);
    const anchored = {
      log: Math.max(logNumber(database, key), 1),
      seq: last?.seq ?? 0,
      hash: last ? Buffer.from(last.hash).toString('hex') : NO_HASH,
    };
    await replaceAnchorFile(file, print(key, anchored));
    isNewLog = false;
  }

  const self: LogAnchor = {
    judge,
    note(change) {
      if (change === 'another log') isNewLog = true;
      if (path === undefined || timer !== undefined) return;
      timer = setTimeout(() => void self.flush(), delayMs);
      timer.unref();
    },
    beginAnother(current) {
      if (path === undefined) return;
      putLogNumber(current, key, Math.max(logNumber(current, key), 1) + 1);
    },
    flush() {
      clearTimeout(timer);
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
  if (seq < anchored.seq || known !== anchored.hash) return 'log_behind';
  return seq > anchored.seq ? 'anchor_behind' : 'level';
}

/** 0 when there is no number, or it isn't from this vault. */
function logNumber(database: Database, key: Uint8Array): number {
  const [number, mac] = (findLogNumber(database) ?? '').split(' ');
  const isOurs = isEqual(mac, numberMac(key, Number(number)));
  return isOurs ? Number(number) : 0;
}

function putLogNumber(database: Database, key: Uint8Array, number: number): void {
  saveLogNumber(database, `${number} ${numberMac(key, number).toString('hex')}`);
}

function numberMac(key: Uint8Array, number: number): Buffer {
  return hmac(key, `log ${number}`);
}

function anchorMac(key: Uint8Array, { log, seq, hash }: Anchored): Buffer {
  return hmac(key, `anchor ${log} ${seq} ${hash}`);
}

function print(key: Uint8Array, anchored: Anchored): string {
  return `${JSON.stringify({ ...anchored, mac: anchorMac(key, anchored).toString('hex') })}\n`;
}

function parse(key: Uint8Array, text: string): Anchored | undefined {
  try {
    const { log, seq, hash, mac } = JSON.parse(text) as Partial<Anchored & { mac: string }>;
    if (!Number.isSafeInteger(log) || !Number.isSafeInteger(seq) || typeof hash !== 'string')
      return undefined;
    const anchored = { log: Number(log), seq: Number(seq), hash };
    return isEqual(mac, anchorMac(key, anchored)) ? anchored : undefined;
  } catch {
    return undefined;
  }
}

function isEqual(hex: unknown, expected: Buffer): boolean {
  if (typeof hex !== 'string' || !/^[0-9a-f]{64}$/.test(hex)) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
