/** Every part of the service is made and joined here, and nowhere else. */
import { hash } from 'node:crypto';
import type { EndpointKey } from '../contract/registry.ts';
import type { SettingsPatch } from '../contract/settings.ts';
import type { ByteBudget } from '../kernel/byte-budget.ts';
import { movableClock, systemClock, timestamp, type Clock } from '../kernel/clock.ts';
import type { Randomness } from '../kernel/random.ts';
import { SECOND_MS } from '../kernel/units.ts';
import { createOutbound, type Resolve } from '../outbound/index.ts';
import { createApp, type App, type AppContext } from '../http/app.ts';
import type { ServerLimits } from '../http/limits.ts';
import { createApiKeys, type LocalKeys } from '../resources/api-keys/index.ts';
import { bankLinkHandlers, createBankLinks } from '../resources/bank-links/index.ts';
import { businessHandlers } from '../resources/businesses/index.ts';
import { emulatorHandlers, keyringOperations, type Instance } from '../resources/emulator/index.ts';
import { clientTokenHandlers, createClientTokens } from '../resources/client-tokens/index.ts';
import { clockHandlers, createClockService, storedClockSetting } from '../resources/clock/index.ts';
import { createDecisions } from '../resources/decisions/index.ts';
import { createDocuments, documentHandlers } from '../resources/documents/index.ts';
import { createDuplicates, duplicateHandlers } from '../resources/duplicates/index.ts';
import { createEntities } from '../resources/entities/index.ts';
import { createFaults, faultHandlers } from '../resources/faults/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import { createIntegrations, integrationHandlers } from '../resources/integrations/index.ts';
import { createLabels, labelHandlers } from '../resources/labels/index.ts';
import {
  createOnboardings,
  createSessionRecords,
  createSessions,
  createSessionTokens,
  onboardingHandlers,
} from '../resources/onboardings/index.ts';
import { createOutcomes, outcomeHandlers } from '../resources/outcomes/index.ts';
import { createOwners, ownerHandlers } from '../resources/owners/index.ts';
import { createPlaybooks, playbookHandlers } from '../resources/playbooks/index.ts';
import { createProxies, proxyHandlers } from '../resources/proxies/index.ts';
import { createRecorder, recordingHandlers } from '../resources/recording/index.ts';
import { createJournal, requestHandlers } from '../resources/requests/index.ts';
import { createRiskSignals, riskSignalHandlers } from '../resources/risk-signals/index.ts';
import { createSettings } from '../resources/settings/index.ts';
import {
  createSnapshots,
  snapshotHandlers,
  type SnapshotHome,
  type Snapshots,
} from '../resources/snapshots/index.ts';
import { createStream, streamHandlers } from '../resources/stream/index.ts';
import { userHandlers } from '../resources/users/index.ts';
import { createVaultService, vaultHandlers } from '../resources/vault/index.ts';
import { createVaultProxy, vaultProxyHandlers } from '../resources/vault-proxy/index.ts';
import { createWebhooks, webhookHandlers } from '../resources/webhooks/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import type { Reserve } from '../storage/reserve.ts';
import type { StoreTrouble } from '../storage/store-files.ts';
import { createWriteQueue, type WriteQueue } from '../storage/writer.ts';
import { createAccessLog } from '../vault/access-log.ts';
import type { Keyring } from '../vault/keyring/index.ts';
import { createLogAnchor } from '../vault/log-anchor.ts';
import { createPrivateValues } from '../vault/private-values.ts';
import { createVault } from '../vault/vault.ts';
import { createStoreChecks } from './store-checks.ts';

/** How long a request that a fault rule holds is held at a stop, which ends it within its own limit. */
const HELD_AT_STOP_MS = SECOND_MS;

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
  /** Whether another service has taken the place of this one. */
  readonly hasRetired: () => boolean;
  /** What one client may cost. */
  readonly limits: ServerLimits;
  readonly budget: ByteBudget;
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
  /** The script that runs a daemon, for checks of the store. */
  readonly daemonScriptFile: string;
  /** How hosts are resolved and how long an answer is waited for, where tests want it otherwise. */
  readonly outside?: { readonly resolve?: Resolve; readonly timeoutMs?: number };
}

/** What is known of this run and stays known when the store is replaced: requests, whoever listens, a recording. */
export type Observed = ReturnType<typeof createObserved>;

export function createObserved(clock: Clock) {
  // Microseconds of the real clock: beyond whatever an earlier run came to.
  const stream = createStream({ firstId: clock.realNow() * 1000 });
  const journal = createJournal((read, standing) =>
    stream.publish('request', read, { isKept: standing !== 'refused' }),
  );
  return { stream, journal, recorder: createRecorder(clock) };
}

export interface Service {
  readonly app: App;
  readonly queue: WriteQueue;
  readonly snapshots: Snapshots;
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

export async function compose(parts: Parts): Promise<Service> {
  const { database, blobs, keyring, random, instance, localKeys } = parts;
  const clock = movableClock(parts.clock, storedClockSetting(database));
  const queue = createWriteQueue(database, {
    trouble: parts.storeTrouble,
    reserve: parts.reserve,
  });
  const { stream, journal, recorder } = parts.observed;
  const anchor = createLogAnchor({
    path: parts.anchorFile,
    keys: { anchor: keyring.snapshots.anchorKey, log: keyring.instanceKey('access log') },
    database,
  });
  const publish = (entry: string) => stream.publish('access', () => JSON.parse(entry) as object);
  const accessLog = createAccessLog(queue, keyring.instanceKey('access log'), publish, anchor);
  const privateValues = createPrivateValues(keyring.instanceKey('private values'));
  const documents = createDocuments({
    random,
    openOnboarding: (current, entity) => onboardings.openOnboarding(current, entity),
  });
  const vault = createVault({
    keyring,
    clock,
    blobs,
    listener: {
      files: documents.listener,
      changed: (current, entity, change) => onboardings.vaultChanged(current, entity, change),
    },
  });
  const settings = createSettings(queue, parts.settings);
  const playbooks = createPlaybooks({ queue, clock, random });
  const apiKeys = createApiKeys({
    queue,
    clock,
    random,
    onNewSpace: (current, space) => playbooks.install(current, space),
  });
  const faults = createFaults({ queue, clock, random, stream });
  const labels = createLabels({ queue, clock, random });
  const duplicates = createDuplicates({ settings, labels });
  const entities = createEntities({
    queue,
    vault,
    accessLog,
    clock,
    random,
    onRemoval: (current, entity) => sessions.forget(current, entity),
  });
  const vaultService = createVaultService({ queue, vault, accessLog, clock });
  const tokens = createClientTokens({ queue, clock, random });
  const outbound = createOutbound({
    self: instance,
    // Certificates are judged by the machine's clock, whatever the instance's says.
    realNow: () => systemClock.realNow(),
    resolve: parts.outside?.resolve,
  });
  const proxies = createProxies({ queue, clock, random, settings, privateValues });
  const vaultProxy = createVaultProxy({
    queue,
    vault,
    accessLog,
    clock,
    settings,
    journal,
    outbound,
    configurations: proxies,
    timeoutMs: parts.outside?.timeoutMs,
  });

  const wake = () => clockService.wake();
  const webhooks = createWebhooks({
    queue,
    clock,
    random,
    settings,
    outbound,
    privateValues,
    stream,
    wake,
    timeoutMs: parts.outside?.timeoutMs,
  });
  const outcomes = createOutcomes({ queue, random, privateValues });
  const signals = createRiskSignals();
  const decisions = createDecisions({ privateValues });
  const owners = createOwners({ queue, clock });
  const sessionTokens = createSessionTokens({ clock, random, privateValues, baseUrl: () => instance.url });
  const onboardings = createOnboardings({
    queue,
    clock,
    random,
    vault,
    playbooks,
    outcomes,
    decisions,
    signals,
    events: webhooks.events,
    stream,
    wake,
    sessionTokens,
  });
  const sessions = createSessions({
    queue,
    clock,
    random,
    vault,
    entities,
    playbooks,
    settings,
    engine: onboardings.engine,
    tokens: sessionTokens,
  });
  const bankLinks = createBankLinks({
    queue,
    clock,
    random,
    vault,
    events: webhooks.events,
    wake,
  });
  const integrations = createIntegrations({
    queue,
    clock,
    vault,
    accessLog,
    settings,
    outbound,
    decisions,
    onboardings,
    signals,
    timeoutMs: parts.outside?.timeoutMs,
  });
  const flush = async () => {
    await Promise.all([apiKeys.flushUsage(), faults.flush(), anchor.flush()]);
  };
  const storeChecks = createStoreChecks({
    database,
    folder: parts.snapshots.folder,
    program: parts.daemonScriptFile,
  });
  const snapshots = createSnapshots({
    home: parts.snapshots,
    database,
    blobs,
    keyring,
    clock,
    random,
    checkPages: (copy) => storeChecks.checkPages(copy),
    flush,
    removeEntity: (current, fpId) => entities.removeFrom(current, fpId),
    onNewSpace: (current, space) => playbooks.install(current, space),
  });
  const sources = [onboardings.due, bankLinks.due, webhooks.due];
  const clockService = createClockService({
    queue,
    clock,
    stream,
    sources,
    beforeMovingBack(current, now) {
      tokens.expire(current, now);
      sessions.expire(current, now);
      bankLinks.expire(current, now);
    },
  });

  await apiKeys.installLocalKeys(localKeys, { isFresh: false });
  const rotation = keyringOperations({ queue, keyring, clock });
  rotation.resume();

  const handlers: Handlers<EndpointKey> = {
    ...userHandlers(entities),
    ...businessHandlers(entities),
    ...vaultHandlers(vaultService),
    ...clientTokenHandlers({ tokens, vault: vaultService }),
    ...documentHandlers({ database, documents }),
    ...duplicateHandlers({ database, duplicates }),
    ...labelHandlers(labels),
    ...onboardingHandlers({
      database,
      onboardings,
      sessions,
      sessionRecords: createSessionRecords({ queue, clock }),
      decisions,
    }),
    ...riskSignalHandlers({ database, signals }),
    ...ownerHandlers({ database, owners }),
    ...vaultProxyHandlers(vaultProxy),
    ...proxyHandlers(proxies),
    ...bankLinkHandlers(bankLinks),
    ...integrationHandlers(integrations),
    ...playbookHandlers(playbooks),
    ...outcomeHandlers(outcomes),
    ...webhookHandlers(webhooks),
    ...clockHandlers(clockService),
    ...streamHandlers(stream),
    ...requestHandlers(journal),
    ...faultHandlers(faults),
    ...recordingHandlers(recorder),
    ...snapshotHandlers(snapshots),
    ...emulatorHandlers({
      instance,
      controlToken: parts.controlToken,
      settings,
      apiKeys,
      queue,
      accessLog,
      clockService,
      stream,
      pendingWork: () => sources.reduce((sum, source) => sum + source.pending(), 0),
      journal,
      faults,
      keyring: rotation,
      vault,
      random,
      localKeys,
      documents,
      duplicates,
      labels,
      tokens,
      onboardings,
      sessions,
      decisions,
      owners,
      signals,
      outcomes,
      webhooks,
      proxies,
      bankLinks,
      storeChecks,
      formScript: parts.formScript,
    }),
  };
  const app = createApp({
    database,
    handlers,
    apiKeys,
    clientTokens: tokens,
    accessLog,
    settings,
    journal,
    faults,
    recorder,
    instance,
    clock,
    random,
    controlTokenDigest: hash('sha256', parts.controlToken, 'buffer'),
    log: parts.log,
    hasRetired: parts.hasRetired,
    limits: parts.limits,
    budget: parts.budget,
  });
  return {
    app,
    queue,
    snapshots,
    sweepFiles: () => vault.sweepFiles(database),
    anchorAnew: () => anchor.note('another log'),
    begin() {
      anchor.note();
      clockService.start();
    },
    async freeze(at) {
      await clockService.move({ action: 'freeze', at: timestamp(at) });
    },
    async quiesce({ isForGood } = { isForGood: true }) {
      if (isForGood) {
        stream.close();
        faults.hasten(HELD_AT_STOP_MS);
      } else faults.stop();
      await Promise.all([webhooks.stop(), clockService.stop(), storeChecks.stop()]);
    },
    flush,
  };
}
