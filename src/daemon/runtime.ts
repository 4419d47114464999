/**
 * The current service and the store under it. Loading a snapshot replaces the store and creates a new service over it,
 * so that no state of the old one remains in memory. New requests wait for the load; requests in flight are finished
 * first. Listener, instance and randomness stay the same.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createConnections, type Connections } from '../http/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../http/limits.ts';
import { createByteBudget, type ByteBudget } from '../kernel/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { nextTurn } from '../kernel/turns.ts';
import { holdsEntities } from '../resources/entities/index.ts';
import { createRecorder } from '../resources/recording/index.ts';
import { createJournal } from '../resources/requests/index.ts';
import type { Replacement, SnapshotHome } from '../resources/snapshots/index.ts';
import { createStream } from '../resources/stream/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { emptyLog } from '../storage/checkpoints.ts';
import type { Database } from '../storage/database.ts';
import type { Keyring } from '../vault/keyring/index.ts';
import { compose } from './compose.ts';
import type { Observed, Parts, Service } from './composition.ts';
import type { StoreHome } from './store-home.ts';
import { realTime } from '../kernel/real-time.ts';

export interface RuntimeOptions extends Omit<
  Parts,
  | 'snapshots'
  | 'observed'
  | 'hasRetired'
  | 'resetNow'
  | 'storeTrouble'
  | 'storeCommitted'
  | 'limits'
  | 'budget'
> {
  /** Overrides of the default limits. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly store: StoreHome;
  readonly snapshots: Omit<SnapshotHome, 'replaceStore'>;
}

export interface DaemonRuntime {
  /** The current one; a load replaces it. */
  readonly service: Service;
  readonly database: Database;
  /** Shared by all listeners and by all successive services. */
  readonly connections: Connections;
  readonly budget: ByteBudget;
  readonly limits: ServerLimits;
  /** Handles a request with the service that is current at its turn. */
  route(request: IncomingMessage, response: ServerResponse): void;
  /** Settles when no load is in progress. */
  ready(): Promise<void>;
  /** Refuses further loads; settles when the current one has ended. */
  stopLoading(): Promise<void>;
  begin(): void;
}

/** How long a load waits for requests and deliveries in flight. */
const PATIENCE_MS = 2_000;

interface Serving {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly service: Service;
  /** Releases store and files; unfinished work fails as `not_ready`. */
  retire(requestId: string | undefined): Promise<void>;
}

export async function startRuntime({ store, ...parts }: RuntimeOptions): Promise<DaemonRuntime> {
  const observed = createObserved(parts.clock);
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const budget = createByteBudget(limits);
  const connections = createConnections(limits, {
    newRequestId: () => newId('request', parts.random),
    now: realTime.elapsed,
  });
  let serving = await serve(parts.database, parts.keyring);
  let gate: Promise<void> | undefined;
  let hasBegun = false;
  let isStopping = false;
  // Keep files beside a store without entities: they more likely belong to another store.
  if (parts.instance.storage === 'ephemeral' || holdsEntities(parts.database))
    await serving.service.sweepFiles();

  async function serve(database: Database, keyring: Keyring): Promise<Serving> {
    let hasRetired = false;
    const files = retirable(parts.blobs);
    const service = await compose({
      ...parts,
      database,
      keyring,
      observed,
      limits,
      budget,
      blobs: files.blobs,
      snapshots: { ...parts.snapshots, replaceStore },
      resetNow: (...given) => serving.service.reset(...given),
      storeTrouble: () => store.trouble(),
      storeCommitted: () => store.committed(),
      hasRetired: () => hasRetired,
    });
    return {
      database,
      keyring,
      service,
      async retire(requestId) {
        await service.app.inFlight.settled(requestId, PATIENCE_MS);
        await within(PATIENCE_MS, service.quiesce({ isForGood: false }));
        await service.flush().catch(() => undefined);
        hasRetired = true;
        service.queue.close();
        await files.retire();
      },
    };
  }

  async function replaceStore(replacement: Replacement): Promise<void> {
    // Waits for slow requests, and copies the write-ahead log into the store, while others are still served.
    await serving.service.app.inFlight.settled(replacement.requestId, PATIENCE_MS);
    if (serving.database.open) emptyLog(serving.database);
    await nextTurn();
    if (isStopping) throw new ServiceError('not_ready', 'The daemon is stopping');
    const swap = exchange(replacement);
    gate = swap.catch(() => undefined).finally(() => (gate = undefined));
    await swap;
    await parts.blobs.remove(replacement.oldFiles?.() ?? []);
  }

  async function exchange({ path, requestId, finish, oldFiles }: Replacement): Promise<void> {
    const trouble = store.trouble();
    if (trouble) throw trouble;
    const old = serving;
    let replaced: Database | undefined;
    let hasReplaced = false;
    try {
      await old.retire(requestId);
      await finish();
      hasReplaced = true;
      replaced = store.replace(old.database, path);
      serving = await serve(replaced, old.keyring.snapshots.reopen(replaced));
      store.keepNew();
      serving.service.anchorAnew();
    } catch (error) {
      await goBack(old, hasReplaced ? store.putBack(replaced) : old.database);
      throw error;
    }
    // The new state is valid even if old files remain: the next start removes them, too.
    if (!oldFiles) await serving.service.sweepFiles().catch(() => undefined);
    if (hasBegun) serving.service.begin();
  }

  /** Creates a service over the old store again. If that fails, nothing is served, and the readiness reports it. */
  async function goBack(old: Serving, database: Database): Promise<void> {
    try {
      const keyring = database === old.database ? old.keyring : old.keyring.snapshots.reopen(database);
      serving = await serve(database, keyring);
    } catch (error) {
      parts.instance.readiness = { ready: false, reason: 'recovering' };
      throw error;
    }
    if (hasBegun) serving.service.begin();
  }

  return {
    connections,
    limits,
    budget,
    get service() {
      return serving.service;
    },
    get database() {
      return serving.database;
    },
    route(request, response) {
      if (gate) void gate.then(() => serving.service.app.handle(request, response));
      else void serving.service.app.handle(request, response);
    },
    async ready() {
      await gate;
    },
    async stopLoading() {
      isStopping = true;
      await gate;
    },
    begin() {
      hasBegun = true;
      serving.service.begin();
    },
  };
}

/** The files of one service. After it retires it removes none, since they may belong to its successor. */
function retirable(blobs: BlobStore): { blobs: BlobStore; retire(): Promise<void> } {
  let hasRetired = false;
  const removing = new Set<Promise<void>>();
  return {
    blobs: {
      ...blobs,
      async remove(names) {
        if (hasRetired) return;
        const removal = blobs.remove(names);
        removing.add(removal);
        await removal.finally(() => removing.delete(removal));
      },
    },
    async retire() {
      hasRetired = true;
      await Promise.all(removing);
    },
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (timer = realTime.setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), patience]);
  realTime.clearTimeout(timer);
}

function createObserved(clock: Clock): Observed {
  // Microseconds of the real clock: greater than the ids of any earlier run.
  const stream = createStream({ firstId: clock.realNow() * 1000 });
  const journal = createJournal((read, standing) =>
    stream.publish('request', read, { isKept: standing !== 'refused' }),
  );
  return { stream, journal, recorder: createRecorder(clock) };
}
