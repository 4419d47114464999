import type { AccessLog } from '../vault/access-log.ts';
import type { Acts } from '../vault/acts.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Database } from '../storage/database.ts';
import type { Keyring } from '../vault/keyring/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { PrivateValues } from '../vault/private-values.ts';
import type { Randomness } from '../kernel/ids/random.ts';
import type { Vault } from '../vault/vault.ts';
import type { WriteQueue } from '../storage/writer.ts';

/** What the services of nouns are built on. */
export interface Foundations {
  readonly accessLog: AccessLog;
  readonly acts: Acts;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly database: Database;
  readonly keyring: Keyring;
  readonly outbound: Outbound;
  readonly privateValues: PrivateValues;
  readonly queue: WriteQueue;
  readonly random: Randomness;
  /** How long a call to another server may take; undefined for the default. */
  readonly timeoutMs: number | undefined;
  readonly vault: Vault;
  /** Called after the commit of work with a due time. */
  readonly wake: () => void;
}

/** What a service takes of it. */
export type Needs<Name extends keyof Foundations> = Pick<Foundations, Name>;
