/**
 * Makes every part of a service, from top to bottom: each part receives those above it, and nothing is connected later.
 * runtime.ts connects them to the app.
 */
import { movableClock, systemClock } from '../kernel/clock.ts';
import { createOutbound } from '../outbound/index.ts';
import { createApiKeys } from '../nouns/api-keys/service/index.ts';
import { createBankLinks } from '../nouns/bank-links/service/index.ts';
import { createClientTokens } from '../nouns/client-tokens/service/index.ts';
import { createClockService, createWakeSignal, storedClockSetting } from '../nouns/clock/service/index.ts';
import { createComparisons } from '../nouns/comparisons/service.ts';
import { createDecisions } from '../nouns/decisions/service.ts';
import { createDocuments } from '../nouns/documents/service.ts';
import { createDuplicates } from '../nouns/duplicates/service.ts';
import { createEntities } from '../nouns/entities/service/index.ts';
import { createFaults } from '../nouns/faults/service.ts';
import { createClaims } from '../nouns/claims/service.ts';
import { createHits } from '../nouns/hits/service.ts';
import { createBrowserSessions, createHosted } from '../nouns/hosted/service/index.ts';
import { createIntegrations } from '../nouns/integrations/service/index.ts';
import { createKeyringOperations } from '../nouns/keyring/service.ts';
import { createLabels } from '../nouns/labels/service.ts';
import { createInfoRequests } from '../nouns/info-requests/service.ts';
import { createNotes } from '../nouns/notes/service.ts';
import {
  createOnboardings,
  createSessionRecords,
  createSessions,
  createSessionTokens,
  createStatusChanges,
  createVaultChanges,
  endSessionsOf,
  findIncomplete,
} from '../nouns/onboardings/service/index.ts';
import { createOutcomes } from '../nouns/outcomes/service/index.ts';
import { createOwners } from '../nouns/owners/service.ts';
import { createPlaybooks } from '../nouns/playbooks/service.ts';
import { createProxies } from '../nouns/proxies/service.ts';
import { createReset } from '../nouns/reset/service.ts';
import { createRiskSignals } from '../nouns/risk-signals/service.ts';
import { createSearch } from '../nouns/search/service/index.ts';
import { createSettings } from '../nouns/settings/service.ts';
import { createSnapshots } from '../nouns/snapshots/service/index.ts';
import { createVaultService } from '../nouns/vault/service/index.ts';
import { createVaultProxy } from '../nouns/vault-proxy/service/index.ts';
import { createWebhooks } from '../nouns/webhooks/service/index.ts';
import { createWriteQueue } from '../storage/writer.ts';
import { createActs } from '../vault/acts.ts';
import { createAccessLog } from '../vault/access-log.ts';
import { createFingerprintListing } from '../vault/fingerprints.ts';
import { createLogAnchor } from '../vault/log-anchor.ts';
import { createPrivateValues } from '../vault/private-values.ts';
import { createPartIndex } from '../vault/search/index.ts';
import { createVaultReading } from '../vault/vault-reads.ts';
import { createVault } from '../vault/vault.ts';
import type { Parts } from './composition.ts';
import { createStoreChecks } from './store-checks.ts';

export type Nouns = ReturnType<typeof createNouns>;

export function createNouns(parts: Parts) {
  const {
    database,
    blobs,
    keyring,
    random,
    instance,
    controlToken,
    formScript,
    hostedScript,
    browserScript,
    consoleFile,
  } = parts;
  const { stream, journal, recorder, consoleSessions } = parts.observed;
  const timeoutMs = parts.outside?.timeoutMs;

  // Shared foundations.
  const clock = movableClock(parts.clock, storedClockSetting(database));
  const queue = createWriteQueue(database, {
    trouble: parts.storeTrouble,
    committed: parts.storeCommitted,
    reserve: parts.reserve,
  });
  const base = { queue, clock, random };
  const wakeSignal = createWakeSignal();
  const { wake } = wakeSignal;
  const anchor = createLogAnchor({
    path: parts.anchorFile,
    keys: { anchor: keyring.snapshots.anchorKey, log: keyring.instanceKey('access log') },
    queue,
  });
  const privateValues = createPrivateValues(keyring.instanceKey('private values'));
  const accessLog = createAccessLog(queue, keyring.instanceKey('access log'), {
    privateValues,
    anchor,
    // A stored entry has no operator and no results when there are none. Listeners get null instead, as in the list
    // of the access log.
    onEntry: (entry) =>
      stream.publish('access', () => ({
        operator: null,
        effect: null,
        results: null,
        ...(JSON.parse(entry) as object),
      })),
  });
  const acts = createActs({ accessLog, clock });
  const settings = createSettings(queue, parts.settings);
  const outbound = createOutbound({
    self: instance,
    // Certificates are checked by the machine's clock, not the instance's.
    realNow: () => systemClock.realNow(),
    resolve: parts.outside?.resolve,
  });
  const playbooks = createPlaybooks(base);
  const apiKeys = createApiKeys({
    ...base,
    localKeys: parts.localKeys,
    onNewSpace: (current, space) => playbooks.install(current, space),
  });
  const faults = createFaults({ ...base, stream });
  const webhooks = createWebhooks({
    ...base,
    acts,
    settings,
    outbound,
    privateValues,
    stream,
    wake,
    timeoutMs,
  });
  const { events } = webhooks;

  // The vault, and the effects of its changes.
  const vaultReading = createVaultReading({ keyring, blobs });
  const decisions = createDecisions({ privateValues });
  const signals = createRiskSignals();
  const claims = createClaims({ queue, clock, privateValues, acts });
  const hits = createHits({ queue, clock, privateValues, signals, acts });
  const statusChanges = createStatusChanges({
    queue,
    clock,
    vault: vaultReading.reads,
    decisions,
    signals,
    events,
    stream,
    wake,
  });
  const documents = createDocuments({ random, openOnboarding: findIncomplete });
  const vault = createVault({
    reading: vaultReading,
    keyring,
    clock,
    blobs,
    listing: createFingerprintListing(queue),
    listener: {
      files: documents.listener,
      changed: createVaultChanges({ vault: vaultReading.reads, events, changes: statusChanges }),
    },
  });
  const vaultService = createVaultService({ queue, vault, accessLog, acts, clock });

  // Entities and their records.
  const entities = createEntities({
    ...base,
    vault,
    accessLog,
    acts,
    onRemoval: (current, entity) => endSessionsOf(current, entity, clock.now()),
  });
  const labels = createLabels({ ...base, acts });
  const notes = createNotes({ ...base, privateValues, acts });
  const infoRequests = createInfoRequests({ queue, clock, privateValues, events, acts });
  const duplicates = createDuplicates({ vault, settings, labels, accessLog, clock });
  const comparisons = createComparisons({ queue, vault, accessLog, clock });
  const owners = createOwners({ queue, clock, acts });
  const tokens = createClientTokens(base);

  // Runs and hosted flows.
  const outcomes = createOutcomes({ queue, random, privateValues });
  const sessionTokens = createSessionTokens({
    queue,
    clock,
    random,
    privateValues,
    vault,
    baseUrl: () => instance.url,
  });
  const onboardings = createOnboardings({
    ...base,
    acts,
    hits,
    vault,
    accessLog,
    playbooks,
    outcomes,
    decisions,
    events,
    changes: statusChanges,
    sessionTokens,
  });
  const sessions = createSessions({
    ...base,
    vault,
    entities,
    playbooks,
    settings,
    owners,
    engine: onboardings.engine,
    tokens: sessionTokens,
    infoRequests,
  });
  const sessionRecords = createSessionRecords({ queue, clock, tokens: sessionTokens });
  // Third parties.
  const bankLinks = createBankLinks({
    ...base,
    vault,
    events,
    settings,
    privateValues,
    wake,
    baseUrl: () => instance.url,
  });
  const hosted = createHosted({
    queue,
    clock,
    vault,
    accessLog,
    playbooks,
    sessions,
    engine: onboardings.engine,
    tokens: sessionTokens,
    banks: bankLinks,
    infoRequests,
  });
  const browserSessions = createBrowserSessions({
    queue,
    vault,
    apiKeys,
    playbooks,
    sessions,
    tokens: sessionTokens,
  });
  const proxies = createProxies({ ...base, settings, privateValues });
  const vaultProxy = createVaultProxy({
    queue,
    vault,
    accessLog,
    clock,
    settings,
    journal,
    outbound,
    configurations: proxies,
    timeoutMs,
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
    timeoutMs,
  });

  // Search for support staff.
  const searchedParts = createPartIndex({ queue, keyring });
  const search = createSearch({ queue, vault, parts: searchedParts, accessLog, clock });

  // The instance as a whole.
  const keyringOperations = createKeyringOperations({ queue, keyring, clock });
  const storeChecks = createStoreChecks({
    database,
    folder: parts.snapshots.folder,
    program: parts.daemonScriptFile,
  });
  /** Writes state that is kept in memory only. */
  async function flush(): Promise<void> {
    await Promise.all([apiKeys.flushUsage(), faults.flush(), anchor.flush()]);
  }
  const snapshots = createSnapshots({
    home: parts.snapshots,
    database,
    blobs,
    keyring,
    clock,
    random,
    flush,
    beginPageCheck: () => storeChecks.beginPageCheck(),
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
  wakeSignal.onWake(() => clockService.wake());
  const reset = createReset({
    queue,
    random,
    keyring,
    vault,
    accessLog,
    apiKeys,
    settings,
    journal,
    stream,
    webhooks,
    proxies,
    clockService,
    home: parts.snapshots,
    resetNow: parts.resetNow,
    counted: { onboardings, sessions, outcome_rules: outcomes, bank_links: bankLinks, faults },
  });
  const pendingWork = () =>
    keyringOperations.pending() + sources.reduce((sum, source) => sum + source.pending(), 0);

  return {
    database,
    instance,
    controlToken,
    formScript,
    hostedScript,
    browserScript,
    consoleFile,
    stream,
    journal,
    recorder,
    consoleSessions,
    random,
    clock,
    queue,
    anchor,
    accessLog,
    settings,
    playbooks,
    apiKeys,
    faults,
    webhooks,
    decisions,
    signals,
    claims,
    hits,
    notes,
    infoRequests,
    documents,
    vault,
    vaultService,
    entities,
    labels,
    duplicates,
    comparisons,
    owners,
    tokens,
    outcomes,
    onboardings,
    sessions,
    sessionRecords,
    sessionTokens,
    hosted,
    browserSessions,
    bankLinks,
    proxies,
    vaultProxy,
    integrations,
    search,
    keyringOperations,
    storeChecks,
    flush,
    snapshots,
    clockService,
    pendingWork,
    reset,
  };
}
