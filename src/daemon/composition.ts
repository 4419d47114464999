/** What a service is made of, and what the daemon does with it. compose.ts makes it. */
import type { SettingsPatch } from '../contract/settings.ts';
import type { App, AppContext } from '../http/app.ts';
import type { ServerLimits } from '../http/limits.ts';
import type { ByteBudget } from '../kernel/byte-budget.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Randomness } from '../kernel/random.ts';
import type { Resolve } from '../outbound/index.ts';
import type { LocalKeys } from '../resources/api-keys/index.ts';
import type { Instance } from '../resources/control/index.ts';
import type { Recorder } from '../resources/recording/index.ts';
import type { Journal } from '../resources/requests/index.ts';
import type { Reset } from '../resources/reset/index.ts';
import type { SnapshotHome, Snapshots } from '../resources/snapshots/index.ts';
import type { Stream } from '../resources/stream/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import type { Reserve } from '../storage/reserve.ts';
import type { StoreTrouble } from '../storage/store-files.ts';
import type { WriteQueue } from '../storage/writer.ts';
import type { Keyring } from '../vault/keyring/index.ts';

export interface Parts {
  readonly database: Database;
  /** Where sealed files are kept. */
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
  /** Where the head of the access log is kept beside the store; without it nowhere. */
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
  /** Space on the store's disk that is kept for deleting. */
  readonly reserve?: Reserve | undefined;
  /** What is wrong with the files of the store now, if anything. */
  readonly storeTrouble: StoreTrouble;
  /** The reset of the service that is there when it is called. */
  readonly resetNow: Reset;
  /** Whether another service has taken the place of this one. */
  readonly hasRetired: () => boolean;
  /** What one client may cost. */
  readonly limits: ServerLimits;
  readonly budget: ByteBudget;
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
  /** The browser script of the pages of hosted flows. */
  readonly hostedScript: () => Promise<string>;
  /** The script that runs a daemon, for checks of the store. */
  readonly daemonScriptFile: string;
  /** How hosts are resolved and how long an answer is waited for, where tests want it otherwise. */
  readonly outside?: { readonly resolve?: Resolve; readonly timeoutMs?: number };
}

/** What is known of this run and stays known when the store is replaced: requests, listeners, a recording. */
export interface Observed {
  readonly stream: Stream;
  readonly journal: Journal;
  readonly recorder: Recorder;
}

export interface Service {
  readonly app: App;
  readonly queue: WriteQueue;
  readonly snapshots: Snapshots;
  readonly reset: Reset;
  /** Removes files that the store doesn't name; nobody may write meanwhile. */
  sweepFiles(): Promise<void>;
  /** From now on what falls due is done; what fell due before is done first. When the port listens. */
  begin(): void;
  /** The store was replaced: the anchor of its log takes the place of any. */
  anchorAnew(): void;
  /** The clock stands still at this time, epoch milliseconds. */
  freeze(at: number): Promise<void>;
  /** Ends what has no end of its own: deliveries under way, due work, and streams if it is for good. */
  quiesce(options?: { isForGood: boolean }): Promise<void>;
  /** Writes what is kept in memory only; before the queue is closed. */
  flush(): Promise<void>;
}
