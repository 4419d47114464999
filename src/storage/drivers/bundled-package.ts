/**
 * The JavaScript of better-sqlite3, which the build puts into the bundles (src/devtools/build-constants.ts): to find and
 * read its thirteen files takes a start longer than to open a store. From the sources there is none.
 */
import type BetterSqlite3 from 'better-sqlite3';

export interface BundledPackage {
  readonly version: string;
  load(): typeof BetterSqlite3;
}

export const bundledPackage: BundledPackage | undefined = undefined as BundledPackage | undefined;
