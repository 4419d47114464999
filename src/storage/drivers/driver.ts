import type { Database, OpenOptions } from '../binding.ts';

export const DRIVERS = ['node:sqlite', 'better-sqlite3'] as const;
export type DriverName = (typeof DRIVERS)[number];

/** A way to SQLite; `binding.ts` says what its functions promise. */
export interface Driver {
  readonly name: DriverName;
  open(path: string, options: OpenOptions): Database;
  openInMemory(path: string): Database;
  openContent?(content: Uint8Array): Database;
}
