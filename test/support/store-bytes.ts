/** Returns the content of an open store as a file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/storage/binding.ts';
import { tempDir } from './temp-dir.ts';

export function bytesOf(database: Database): Buffer {
  using folder = tempDir();
  const copy = join(folder.path, 'copy.db');
  database.prepare('VACUUM INTO ?').run(copy);
  return readFileSync(copy);
}
