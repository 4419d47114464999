/** Reads a SQLite write-ahead log by its file format (https://sqlite.org/fileformat2.html#walformat). */
import { existsSync, readFileSync } from 'node:fs';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Counts the commits in the log of the database at `path`. A frame that has the database size ends a commit. */
export function commitsInLog(path: string): number {
  const file = `${path}-wal`;
  const log = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  if (log.length < HEADER_BYTES) return 0;
  const pageBytes = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= log.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // Frames of an earlier use of the log have another salt.
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
