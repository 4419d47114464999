import type { Clock } from '../../../kernel/time/clock.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import type { BlobStore } from '../../../storage/blobs.ts';
import type { Database } from '../../../storage/database.ts';
import type { SnapshotFolder } from '../../../storage/snapshot-folder.ts';
import type { Keyring, SnapshotKeySource } from '../../../vault/keyring/index.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { conflict } from '../../../kernel/errors.ts';

/** The parts that survive when a load replaces the store. */
export interface SnapshotHome {
  readonly folder: SnapshotFolder;
  readonly key: SnapshotKeySource;
  readonly turns: Turns;
  /**
   * Replaces the current store by a prepared one, with a new service over it. It either fails before anything changes,
   * or keeps serving the old state.
   */
  readonly replaceStore: (replacement: Replacement) => Promise<void>;
}

export interface Replacement {
  /** The file of the prepared store, which `finish` closes. */
  readonly path: string;
  /** The request for it, which is not waited for. Undefined at a start. */
  readonly requestId: string | undefined;
  /** Called once nothing more is written to the old store, to copy data from it. */
  readonly finish: () => Promise<void>;
  /**
   * For a new store without files: the files of the old one once `finish` has settled, which are removed while requests
   * continue. Without it, all files that the new store doesn't reference are removed first.
   */
  readonly oldFiles?: () => readonly string[];
}

/** A separate process that checks one copy of the store. Its start takes about as long as a check. */
export interface PageCheck {
  /**
   * Returns whether every page of the copy is intact; if not, the store is marked as damaged. Throws the reason when the
   * check can't run.
   */
  run(copy: string): Promise<boolean>;
  /** Ends the process if it was not used. */
  end(): void;
}

export interface SnapshotContext {
  readonly home: SnapshotHome;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly beginPageCheck: () => PageCheck;
  /** Writes state that is kept in memory only. */
  readonly flush: () => Promise<void>;
  /** Deletes an entity of a store that is not served yet. */
  readonly removeEntity: (database: Database, fpId: string) => void;
  /** Called in the write job that creates a space, to add its default records. */
  readonly onNewSpace: (database: Database, space: Space) => void;
}

// Serialises work on snapshots, and refuses other work once a load has been requested.

export type Turns = ReturnType<typeof createTurns>;

export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  let isTakenAlone = false;

  function queue<T>(run: () => Promise<T>): Promise<T> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }
  function refuse(): Promise<never> {
    return Promise.reject(conflict('A snapshot is being loaded: try again'));
  }

  return {
    /** Runs after all earlier work. Throws `conflict` while a snapshot is being loaded. */
    take: <T>(run: () => Promise<T>): Promise<T> => (isTakenAlone ? refuse() : queue(run)),
    /** The same, and refuses other requests until it is done. */
    takeAlone<T>(run: () => Promise<T>): Promise<T> {
      if (isTakenAlone) return refuse();
      isTakenAlone = true;
      return queue(run).finally(() => (isTakenAlone = false));
    },
  };
}
