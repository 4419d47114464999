/**
 * The current service and the store under it. Loading a snapshot replaces the store and creates a new service over it,
 * so that no state of the old one remains in memory. New requests wait for the load; requests in flight are finished
 * first. Listener, instance and randomness stay the same.
 */
import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointKey } from '../contract/registry.ts';
import { createApp } from '../http/app.ts';
import { createConnections, type Connections } from '../http/connections.ts';
import { DEFAULT_LIMITS, type ServerLimits } from '../http/limits.ts';
import { createByteBudget, type ByteBudget } from '../kernel/numbers/byte-budget.ts';
import { timestamp } from '../kernel/time/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids/ids.ts';
import { firstOf, realTime } from '../kernel/time/real-time.ts';
import { nextTurn } from '../kernel/time/turns.ts';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import { accessLogHandlers } from '../nouns/access-log/service.ts';
// Not imported through the index, which the types of every handler import.
import { apiKeyHandlers } from '../nouns/api-keys/service/handlers.ts';
import { createConsoleSessions, consoleHandlers } from '../nouns/console/service/index.ts';
import { controlHandlers, pageHandlers } from '../nouns/control/service/index.ts';
import { holdsEntities } from '../nouns/entities/service/index.ts';
import type { Handlers } from '../nouns/handlers.ts';
import { inspectorHandlers, maskedNames } from '../nouns/inspector/service/index.ts';
import { createRecorder } from '../nouns/recording/service.ts';
import { createJournal } from '../nouns/requests/service.ts';
import { resetHandlers } from '../nouns/reset/service.ts';
import { type Replacement, type SnapshotHome } from '../nouns/snapshots/service/index.ts';
import { createStream } from '../nouns/stream/service.ts';
import { vaultHandlers } from '../nouns/vault/service/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { emptyLog } from '../storage/checkpoints.ts';
import type { Database } from '../storage/database.ts';
import { sweepDebris } from '../storage/debris.ts';
import type { Keyring } from '../vault/keyring/index.ts';
import { sweepAhead } from '../vault/values-ahead.ts';
import type { Observed, Parts, Service } from './composition.ts';
import { createNouns, type Nouns } from './nouns.ts';
import type { StoreHome } from './store-home.ts';

// Assembles the service: nouns.ts makes the parts, `createHandlers` maps endpoints to them, the app serves those.

/** How long fault rules may keep holding a request at a stop; shorter than the limit of the stop itself. */
const HELD_AT_STOP_MS = SECOND_MS;

async function compose(parts: Parts): Promise<Service> {
  const nouns = createNouns(parts);
  const { database, queue, anchor, apiKeys, clockService, faults, keyringOperations, vault } = nouns;
  await apiKeys.installLocalKeys({ isFresh: false });
  keyringOperations.resume();
  const app = createApp({
    ...nouns,
    handlers: createHandlers(nouns),
    clientTokens: nouns.tokens,
    sessionTokens: nouns.sessionTokens,
    bankPages: nouns.bankLinks.pages,
    controlTokenDigest: hash('sha256', parts.controlToken, 'buffer'),
  });
  return {
    app,
    queue,
    snapshots: nouns.snapshots,
    reset: nouns.reset,
    sweepFiles: () => vault.sweepFiles(database),
    anchorAnew: () => anchor.note('another log'),
    begin() {
      anchor.note();
      // What a deletion left behind when it was cut off.
      void sweepDebris(queue);
      void sweepAhead(queue);
      // If the store can't be written now, expired tokens are deleted when they are next used or at the next start.
      nouns.sessionTokens.forgetExpired().catch(() => undefined);
      nouns.bankLinks.pages.forgetExpired().catch(() => undefined);
      clockService.start();
    },
    async freeze(at) {
      await clockService.move({ action: 'freeze', at: timestamp(at) });
    },
    async quiesce({ isForGood } = { isForGood: true }) {
      if (isForGood) {
        nouns.stream.close();
        faults.hasten(HELD_AT_STOP_MS);
      } else faults.stop();
      await Promise.all([nouns.webhooks.stop(), clockService.stop(), nouns.storeChecks.stop()]);
    },
    flush: nouns.flush,
  };
}

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
  const observed = createObserved(parts);
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
        await firstOf([service.quiesce({ isForGood: false }).catch(() => undefined)], PATIENCE_MS);
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

function createObserved({ clock, random }: Pick<Parts, 'clock' | 'random'>): Observed {
  // Microseconds of the real clock: greater than the ids of any earlier run.
  const stream = createStream({ firstId: clock.realNow() * 1000 });
  const journal = createJournal((read, standing) =>
    stream.publish('request', read, { isKept: standing !== 'refused' }),
  );
  return {
    stream,
    journal,
    recorder: createRecorder(clock),
    consoleSessions: createConsoleSessions({ clock, random }),
  };
}

/** The handler of every endpoint; a missing one is a type error. */
function createHandlers(nouns: Nouns): Handlers<EndpointKey> {
  return {
    ...nouns.entities.handlers(nouns.infoRequests.required),
    ...vaultHandlers(nouns.vaultService),
    ...nouns.tokens.handlers(nouns.vaultService),
    ...nouns.documents.handlers,
    ...nouns.duplicates.handlers,
    ...nouns.comparisons,
    ...nouns.labels.handlers,
    ...nouns.onboardings.handlers,
    ...nouns.sessions.handlers,
    ...nouns.decisions.handlers,
    ...nouns.sessionRecords,
    ...nouns.hosted,
    ...nouns.browserSessions,
    ...nouns.signals.handlers,
    ...nouns.owners.handlers,
    ...nouns.vaultProxy,
    ...nouns.proxies.handlers,
    ...nouns.bankLinks.handlers,
    ...nouns.integrations,
    ...nouns.playbooks.handlers,
    ...nouns.outcomes.handlers,
    ...nouns.webhooks.handlers((query) => maskedNames(nouns, query)),
    ...nouns.clockService.handlers,
    ...nouns.stream.handlers,
    ...nouns.journal.handlers,
    ...nouns.faults.handlers,
    ...nouns.recorder.handlers,
    ...nouns.snapshots.handlers,
    ...apiKeyHandlers(nouns.apiKeys),
    ...nouns.settings.handlers,
    ...nouns.keyringOperations.handlers,
    ...controlHandlers(nouns),
    ...pageHandlers(nouns),
    ...consoleHandlers(nouns),
    ...inspectorHandlers(nouns),
    ...nouns.claims.handlers,
    ...nouns.hits.handlers,
    ...nouns.notes.handlers,
    ...nouns.infoRequests.handlers,
    ...nouns.search,
    ...accessLogHandlers(nouns),
    ...resetHandlers(nouns.reset),
  };
}
