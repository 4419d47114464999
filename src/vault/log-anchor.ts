/**
 * The head of the access log, kept beside the store as well as in it: a log that was shortened together with its head, or
 * a store that was replaced by an older one, is behind its anchor. The anchor is written after the commits that it is
 * about, at most a second later and when the daemon stops: it may lag behind the log, and never leads it. To write it
 * with each commit would double what a commit waits for the disk; so entries of the last second before a kill can be cut
 * off unseen, together with the head of the moment before them.
 *
 * A reset and a load begin another log: each has the number after the one before, so that neither looks shortened.
 */
import { timingSafeEqual } from 'node:crypto';
import type { AnchorState } from '../contract/facts/access-log.ts';
import { readAnchorFile, replaceAnchorFile, writeFirstAnchorFile } from '../storage/anchor-file.ts';
import type { Database } from '../storage/database.ts';
import { findHash, findLast, findLogNumber, saveLogNumber } from './access-log-repository.ts';
import { hmac } from './hmac.ts';
import { headState, markAnchored, sealHead } from './log-head.ts';

/**
 * `level`: both say the same. `anchor_behind`: the last entries are not in the anchor yet, as always for a moment.
 * `log_behind`: entries that the anchor knows are not in the log. `missing`, `damaged`: of the anchor's file. `none`: an
 * instance in memory has none.
 */

export interface AnchorVerdict {
  readonly state: AnchorState;
  /** The last entry that the anchor knows. */
  readonly seq: number | null;
}

export interface LogAnchor {
  judge(database: Database): AnchorVerdict;
  /** There are new entries, or another log, committed. */
  note(change?: 'another log'): void;
  /** In the transaction that begins another log. */
  beginAnother(database: Database): void;
  /** Settles when the anchor knows what was committed before. Never throws: a lagging anchor is no damage. */
  flush(): Promise<void>;
}

interface Anchored {
  readonly log: number;
  readonly seq: number;
  readonly hash: string;
}

const NO_HASH = 'none';

/** `anchor` stays the same as long as the vault, `log` is the key of the access log: 32 bytes each. */
export interface AnchorKeys {
  readonly anchor: Uint8Array;
  readonly log: Uint8Array;
}

/**
 * In the transaction that makes a vault beside whose store `path` is: its log is anchored from the beginning, so that no
 * copy of it, however old, passes for a store from before there were anchors. An anchor that a crash leaves without a
 * vault is replaced by the next.
 */
export function beginAnchoredLog(database: Database, path: string, { anchor: key, log }: AnchorKeys): void {
  writeFirstAnchorFile(path, print(key, { log: 1, seq: 0, hash: NO_HASH }));
  putLogNumber(database, key, 1);
  sealHead(database, log, undefined, true);
}

/** The log of `to`, whose keys these are, counts as the one after that of `from`. */
export function beginLogAfter(from: Database, to: Database, { anchor: key, log }: AnchorKeys): void {
  putLogNumber(to, key, Math.max(logNumber(from, key), logNumber(to, key)) + 1);
  markAnchored(to, log);
}

/** `path` undefined: nothing is kept. */
export function createLogAnchor(options: {
  readonly path: string | undefined;
  readonly keys: AnchorKeys;
  readonly database: Database;
  /** Milliseconds after the first commit that is not anchored yet. */
  readonly delayMs?: number;
}): LogAnchor {
  const { path, keys, database, delayMs = 1_000 } = options;
  const key = keys.anchor;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  /** Whether another log was begun here: its anchor takes the place of any. */
  let isNewLog = false;

  function judge(current: Database): AnchorVerdict {
    if (path === undefined) return { state: 'none', seq: null };
    const text = readAnchorFile(path);
    // That of a store from before there were anchors is written when the daemon serves.
    if (text === undefined) return { state: isBeforeFirst(current) ? 'anchor_behind' : 'missing', seq: null };
    const anchored = parse(key, text);
    if (!anchored) return { state: 'damaged', seq: null };
    return { state: compare(key, current, anchored), seq: anchored.seq };
  }

  /** The head says it as well as the number: a row can be removed, a head can't be made without the key. */
  function isBeforeFirst(current: Database): boolean {
    const state = headState(current, keys.log, findLast(current));
    return findLogNumber(current) === undefined && state === 'plain';
  }

  /** What the anchor knows and the log doesn't is not written over. */
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

/** 0 when there is none, or it isn't of this vault. */
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
