/**
 * How far a store has come: a number that grows with its commits. The anchor beside the store has it, too, a second
 * later at most. A store whose number is lower than its anchor's has lost commits: its write-ahead log was removed, or
 * the file of an earlier moment was put in its place.
 */
import { dirname, join } from 'node:path';
import { jsonOf } from '../kernel/text/json.ts';
import { readAnchorFile } from './anchor-file.ts';
import type { Database } from './binding.ts';
import { findValue, putValue } from './statement.ts';

const NAME = 'store position';

export function anchorFileOf(storeFile: string): string {
  return join(dirname(storeFile), 'access-log.anchor');
}

export function readPosition(database: Database): number {
  return Number(findValue(database, NAME) ?? 0);
}

export function writePosition(database: Database, position: number): void {
  putValue(database, NAME, String(position));
}

/**
 * What the anchor beside the store says, whose seal isn't checked: the position and the last entry of the access log.
 * Undefined without an anchor, or when it can't be read; no position in one of before there were positions.
 */
export function readAnchored(storeFile: string): { position?: number; seq: number } | undefined {
  const text = readAnchorFile(anchorFileOf(storeFile));
  if (text === undefined) return undefined;
  const { position, seq } = (jsonOf(text) ?? {}) as { position?: unknown; seq?: unknown };
  if (!Number.isSafeInteger(seq)) return undefined;
  return { seq: Number(seq), ...(Number.isSafeInteger(position) && { position: Number(position) }) };
}
