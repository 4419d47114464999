/** The inputs of a service, and its interface for the daemon. runtime.ts builds it. */
import type { SettingsPatch } from '../nouns/settings/endpoints/index.ts';
import type { App, AppContext } from '../http/app.ts';
import type { ServerLimits } from '../http/limits.ts';
import type { ByteBudget } from '../kernel/numbers/byte-budget.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Randomness } from '../kernel/ids/random.ts';
import type { Resolve } from '../outbound/index.ts';
import type { LocalKeys } from '../nouns/api-keys/service/index.ts';
import type { BuiltFile, Instance } from '../nouns/control/service/index.ts';
import type { ConsoleSessions } from '../nouns/console/service/index.ts';
import type { Recorder } from '../nouns/recording/service.ts';
import type { Journal } from '../nouns/requests/service.ts';
import type { Reset } from '../nouns/reset/service.ts';
import type { SnapshotHome, Snapshots } from '../nouns/snapshots/service/index.ts';
import type { Stream } from '../nouns/stream/service.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import type { Reserve } from '../storage/reserve.ts';
import type { StoreTrouble } from '../storage/store-files.ts';
import type { WriteQueue } from '../storage/writer.ts';
import type { Keyring } from '../vault/keyring/index.ts';

export interface Parts {
  readonly database: Database;
  /** The store of sealed files. */
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
  /** The file beside the store for the head of the access log; undefined: the head is not stored. */
  readonly anchorFile?: string | undefined;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly instance: Instance;
  readonly localKeys: LocalKeys;
  readonly controlToken: string;
  readonly settings: SettingsPatch;
  readonly log: AppContext['log'];
  readonly snapshots: SnapshotHome;
  readonly observed: Observed;
  /** Disk space kept free for deletions. */
  readonly reserve?: Reserve | undefined;
  /** The current problem with the files of the store, if any. */
  readonly storeTrouble: StoreTrouble;
  /** Called after each commit; returns the size of the write-ahead log in bytes. */
  readonly storeCommitted: () => number;
  /** The reset of the service that is current when it is called. */
  readonly resetNow: Reset;
  /** Whether another service has replaced this one. */
  readonly hasRetired: () => boolean;
  /** Limits for each client. */
  readonly limits: ServerLimits;
  readonly budget: ByteBudget;
  readonly builtFile: BuiltFile;
  /** The daemon's own script, for store checks. */
  readonly daemonScriptFile: string;
  /** Resolver and response timeout, for tests. */
  readonly outside?: { readonly resolve?: Resolve; readonly timeoutMs?: number };
}

/**
 * State of this run that survives a replacement of the store: requests, listeners, a recording, the console's sessions.
 */
export interface Observed {
  readonly stream: Stream;
  readonly journal: Journal;
  readonly recorder: Recorder;
  readonly consoleSessions: ConsoleSessions;
}

export interface Service {
  readonly app: App;
  readonly queue: WriteQueue;
  readonly snapshots: Snapshots;
  readonly reset: Reset;
  /** Removes files that the store doesn't reference. Nobody may write in the meantime. */
  sweepFiles(): Promise<void>;
  /** Starts running due work, overdue work first. Call it once the port listens. */
  begin(): void;
  /** Replaces the anchor of the access log, after the store was replaced. */
  anchorAnew(): void;
  /** Freezes the clock at this time, epoch milliseconds. */
  freeze(at: number): Promise<void>;
  /** Ends activity that doesn't end by itself: deliveries in flight, due work, and for a final stop also streams. */
  quiesce(options?: { isForGood: boolean }): Promise<void>;
  /** Writes state that is kept in memory only. Call it before the queue is closed. */
  flush(): Promise<void>;
}
