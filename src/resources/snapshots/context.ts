import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { BlobStore } from '../../storage/blobs.ts';
import type { Database } from '../../storage/database.ts';
import type { SnapshotFolder } from '../../storage/snapshot-folder.ts';
import type { Keyring, SnapshotKeySource } from '../../vault/keyring/index.ts';
import type { Space } from '../api-keys/index.ts';
import type { Turns } from './turns.ts';

/** What outlives the store that a load replaces. */
export interface SnapshotHome {
  readonly folder: SnapshotFolder;
  readonly key: SnapshotKeySource;
  readonly turns: Turns;
  /**
   * Puts a prepared store in the place of the one that is served, and a service over it in the place of this one. It
   * fails before anything is changed, or leaves the old state serving.
   */
  readonly replaceStore: (replacement: Replacement) => Promise<void>;
}

export interface Replacement {
  /** The file of the prepared store, closed by `finish`. */
  readonly path: string;
  /** The request that asks for it: it is not waited for. Undefined at a start. */
  readonly requestId: string | undefined;
  /** When nothing is written to the old store any more: what is taken over from it. */
  readonly finish: () => Promise<void>;
  /**
   * For a new store that names no file: those of the old one once `finish` has settled, to be removed while others are
   * served again. Without it whatever the new store doesn't name is removed before.
   */
  readonly oldFiles?: () => readonly string[];
}

export interface SnapshotContext {
  readonly home: SnapshotHome;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Randomness;
  /** Whether every page of a copy of the store is whole; looked at in a process of its own. */
  readonly checkPages: (copy: string) => Promise<boolean>;
  /** Writes what is kept in memory only. */
  readonly flush: () => Promise<void>;
  /** Deletes an entity of a store that is not served yet. */
  readonly removeEntity: (database: Database, fpId: string) => void;
  /** In the write job that makes a space: what each begins with. */
  readonly onNewSpace: (database: Database, space: Space) => void;
}
