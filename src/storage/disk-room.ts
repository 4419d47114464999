/** Whether a write failed for want of room. */
import { statSync } from 'node:fs';
import { KIB } from '../kernel/units.ts';
import { isSqliteError, type Database } from './database.ts';

/** More than SQLite writes at once. */
const ONE_WRITE_BYTES = 128 * KIB;

/**
 * Whether SQLite found the disk full, or a file at the limit of this process (`ulimit -f`), which it reports as a failed
 * write of any kind.
 */
export function isFullDisk(database: Database, error: unknown): boolean {
  if (isSqliteError(error, 'SQLITE_FULL')) return true;
  const mayBe = ['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_TRUNCATE'].some((code) => isSqliteError(error, code));
  if (!mayBe || database.memory) return false;
  const limit = fileSizeLimit();
  return [database.name, `${database.name}-wal`].some(
    (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + ONE_WRITE_BYTES > limit,
  );
}

/** The largest size of a file that this process may write, in bytes. */
function fileSizeLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { file_size_blocks?: { soft?: number | 'unlimited' } };
  };
  const soft = userLimits?.file_size_blocks?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
