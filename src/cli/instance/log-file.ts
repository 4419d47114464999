import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { refusedFile } from '../shell/failure.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;
/** The part of a log that is read to find its last lines. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** The last `count` whole lines and the offset after them; undefined if there is no file. */
export function lastLines(path: string, count: number): { lines: string[]; end: number } | undefined {
  const size = fileSize(path);
  if (size === undefined) return undefined;
  const start = Math.max(0, size - TAIL_BYTES);
  const text = readRange(path, start, size);
  const end = text.lastIndexOf(0x0a) + 1;
  const lines = text
    .subarray(0, end)
    .toString('utf8')
    .split('\n')
    .slice(start === 0 ? 0 : 1, -1);
  return { lines: count === 0 ? [] : lines.slice(-count), end: start + end };
}

/**
 * Calls `show` for every line written after `offset`, until `signal` fires. Starts over if the file shrinks.
 */
export async function followLines(
  path: string,
  offset: number,
  { show, signal }: { readonly show: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  let at = offset;
  while (!signal.aborted) {
    const size = fileSize(path) ?? 0;
    if (size < at) at = 0;
    const bytes = readRange(path, at, Math.min(size, at + TAIL_BYTES));
    const end = bytes.lastIndexOf(0x0a) + 1;
    for (const line of bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1)) show(line);
    at += end;
    await sleep(POLL_MS);
  }
}

function fileSize(path: string): number | undefined {
  return withFile(path, (file) => fstatSync(file).size);
}

function readRange(path: string, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  const read = withFile(path, (file) => readSync(file, bytes, 0, bytes.length, start)) ?? 0;
  return bytes.subarray(0, read);
}

function withFile<T>(path: string, use: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusedFile(error, path);
  }
  try {
    return use(file);
  } catch (error) {
    throw refusedFile(error, path);
  } finally {
    closeSync(file);
  }
}
