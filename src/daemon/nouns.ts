/**
 * Makes every part of a service, from top to bottom: each part receives those above it, and nothing is connected later.
 * runtime.ts connects them to the app.
 */
import { movableClock, systemClock } from '../kernel/clock.ts';
import { createOutbound } from '../outbound/index.ts';
import { createApiKeys } from '../resources/api-keys/index.ts';
import { createBankLinks } from '../resources/bank-links/index.ts';
import { createClientTokens } from '../resources/client-tokens/index.ts';
import { createClockService, createWakeSignal, storedClockSetting } from '../resources/clock/index.ts';
import { createComparisons } from '../resources/comparisons/index.ts';
import { createDecisions } from '../resources/decisions/index.ts';
import { createDocuments } from '../resources/documents/index.ts';
import { createDuplicates } from '../resources/duplicates/index.ts';
import { createEntities } from '../resources/entities/index.ts';
import { createFaults } from '../resources/faults/index.ts';
import { createClaims } from '../resources/claims/index.ts';
import { createHits } from '../resources/hits/index.ts';
import { createBrowserSessions, createHosted } from '../resources/hosted/index.ts';
import { createIntegrations } from '../resources/integrations/index.ts';
import { createKeyringOperations } from '../resources/keyring/index.ts';
import { createLabels } from '../resources/labels/index.ts';
import { createInfoRequests } from '../resources/info-requests/index.ts';
import { createNotes } from '../resources/notes/index.ts';
import {
  createOnboardings,
  createSessionRecords,
  createSessions,
  createSessionTokens,
  createStatusChanges,
  createVaultChanges,
  endSessionsOf,
  findIncomplete,
} from '../resources/onboardings/index.ts';
import { createOutcomes } from '../resources/outcomes/index.ts';
import { createOwners } from '../resources/owners/index.ts';
import { createPlaybooks } from '../resources/playbooks/index.ts';
import { createProxies } from '../resources/proxies/index.ts';
import { createReset } from '../resources/reset/index.ts';
import { createRiskSignals } from '../resources/risk-signals/index.ts';
import { createSearch } from '../resources/search/index.ts';
import { createSettings } from '../resources/settings/index.ts';
import { createSnapshots } from '../resources/snapshots/index.ts';
import { createVaultService } from '../resources/vault/index.ts';
import { createVaultProxy } from '../resources/vault-proxy/index.ts';
import { createWebhooks } from '../resources/webhooks/index.ts';
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
