/**
 * The service that answers, and the store under it. Loading a snapshot puts another store in the place of this one and
 * a new service over it, so that nothing that was remembered of the old state is left. Requests that come meanwhile
 * wait; those that had begun are waited for. Listener, instance and randomness stay.
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

export interface RuntimeOptions extends Omit<
  Parts,
  'snapshots' | 'observed' | 'hasRetired' | 'resetNow' | 'storeTrouble' | 'limits' | 'budget'
> {
  /** Those that are not the usual ones. */
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly store: StoreHome;
  readonly snapshots: Omit<SnapshotHome, 'replaceStore'>;
}

export interface Runtime {
  /** The current one: a load makes another. */
  readonly service: Service;
  readonly database: Database;
  /** Shared by all listeners and by every service that follows another. */
  readonly connections: Connections;
  readonly budget: ByteBudget;
  readonly limits: ServerLimits;
  /** Answers a request, by the service that is there when its turn has come. */
  route(request: IncomingMessage, response: ServerResponse): void;
  /** Settles when no load is under way. */
  ready(): Promise<void>;
  /** From now on nothing is loaded any more; settles when what was begun is done. */
  stopLoading(): Promise<void>;
  begin(): void;
}

/** How long requests that have begun, and deliveries, may take to end when a snapshot is loaded. */
const PATIENCE_MS = 2_000;

interface Serving {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly service: Service;
  /** Ends its hold on store and files; what it has not done yet fails as `not_ready`. */
  retire(requestId: string | undefined): Promise<void>;
}

export async function startRuntime({ store, ...parts }: RuntimeOptions): Promise<Runtime> {
  const observed = createObserved(parts.clock);
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const budget = createByteBudget(limits);
  const connections = createConnections(limits, {
    newRequestId: () => newId('request', parts.random),
    now: () => performance.now(),
  });
  let serving = await serve(parts.database, parts.keyring);
  let gate: Promise<void> | undefined;
  let hasBegun = false;
  let isStopping = false;
  // Files beside a store without entities more likely belong to another store: they stay.
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
    // Those that take their time are waited for while others are still served, and the log is carried over.
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
    // The new state stands even when old files stay: the next start sweeps, too.
    if (!oldFiles) await serving.service.sweepFiles().catch(() => undefined);
    if (hasBegun) serving.service.begin();
  }

  /** A service over the old store again. Where even that fails, nothing is served and the readiness says so. */
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

/** Files as one service sees them: once it has retired it removes none, for they may be those of the next. */
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
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), patience]);
  clearTimeout(timer);
}

function createObserved(clock: Clock): Observed {
  // Microseconds of the real clock: beyond what any earlier run reached.
  const stream = createStream({ firstId: clock.realNow() * 1000 });
  const journal = createJournal((read, standing) =>
    stream.publish('request', read, { isKept: standing !== 'refused' }),
  );
  return { stream, journal, recorder: createRecorder(clock) };
}
