import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the header of a SQLite file counts its changes (https://sqlite.org/fileformat2.html#the_database_header). */
const COUNTERS = [24, 92] as const;

/**
 * Returns the bytes of a file. In a SQLite file the counters of its changes are zero: under a Node without a SQLite of
 * its own, a start counts one although it changes nothing else.
 */
export function contentOf(path: string): Buffer {
  const bytes = readFileSync(path);
  if (bytes.toString('latin1', 0, 15) === 'SQLite format 3') {
    for (const at of COUNTERS) bytes.fill(0, at, at + 4);
  }
  return bytes;
}

/** Returns every file below a folder with the digest of its content. */
export function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, createHash('sha256').update(contentOf(path)).digest('hex')];
    }),
  );
}
