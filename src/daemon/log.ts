/**
 * The daemon's log: one JSON object a line, with allow-listed fields (docs/architecture.md#daemon). It can't contain a
 * body, a value, a key, a token or a query string, since any other field is dropped.
 */
import { closeSync, renameSync, statSync, writeSync } from 'node:fs';
import { timestamp, type Clock } from '../kernel/time/clock.ts';
import { openToWrite } from '../kernel/files/file-to-write.ts';
import { quoted } from '../kernel/text/json.ts';
import { printableJson } from '../kernel/text/terminal-text.ts';
import { MIB } from '../kernel/numbers/units.ts';
import { realTime } from '../kernel/time/real-time.ts';

const FIELDS = [
  'level',
  'event',
  'request_id',
  'method',
  'route',
  'status',
  'code',
  'ms',
  'key_id',
  'failure',
  'url',
  'version',
  'instance',
  'storage',
  'message',
] as const;

export type LogLine = Partial<Record<(typeof FIELDS)[number], string | number | null | undefined>>;

export type Log = ReturnType<typeof openLog>;

const FLUSH_MS = 50;
const FLUSH_CHARACTERS = 64 * 1024;
const ROTATE_BYTES = 10 * MIB;
const STDERR = 2;

/** Writes to `path`, rotated to `<path>.1` at 10 MiB, or to stderr without a path. */
export function openLog(path: string | undefined, clock: Clock) {
  let file = path === undefined ? STDERR : openToWrite(path);
  let bytes = path === undefined ? 0 : statSync(path).size;
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    realTime.clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = '';
    if (text === '') return;
    try {
      bytes += writeSync(file, text);
      if (path !== undefined && bytes > ROTATE_BYTES) turnOver(path);
    } catch {
      // A failure to write or rotate the log (full disk, closed terminal, missing folder) must not stop the service.
    }
  }

  function turnOver(path: string): void {
    renameSync(path, `${path}.1`);
    const next = openToWrite(path);
    closeSync(file);
    file = next;
    bytes = 0;
  }

  return {
    write(line: LogLine): void {
      // Every request writes a line, so the text is built without an intermediate object.
      let text = `{"at":"${timestamp(clock.realNow())}"`;
      for (const field of FIELDS) {
        const value = line[field];
        if (typeof value === 'number') text += `,"${field}":${value}`;
        else if (value !== undefined && value !== null) text += `,"${field}":${quoted(value)}`;
      }
      // Logs are often read on a terminal; a JSON parser reads the escapes as the same text.
      waiting += `${printableJson(text)}}\n`;
      if (waiting.length > FLUSH_CHARACTERS) flush();
      else timer ??= realTime.setTimeout(flush, FLUSH_MS).unref();
    },
    close(): void {
      flush();
      if (path !== undefined) closeSync(file);
    },
  };
}
