/**
 * Makes every part of a service, from top to bottom: each part receives those above it, and nothing is connected later.
 * runtime.ts connects them to the app.
 */
import { movableClock, systemClock } from '../kernel/time/clock.ts';
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
import { createOutcomes } from '../nouns/outcomes/service.ts';
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
  const { database, keyring, instance } = parts;
  const { stream } = parts.observed;

  // Shared foundations.
  const clock = movableClock(parts.clock, storedClockSetting(database));
  const queue = createWriteQueue(database, {
    trouble: parts.storeTrouble,
    committed: parts.storeCommitted,
    reserve: parts.reserve,
  });
  const wakeSignal = createWakeSignal();
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
  /** Each service takes what it needs. */
  const base = {
    ...parts,
    ...parts.observed,
    accessLog,
    acts,
    clock,
    outbound,
    privateValues,
    queue,
    settings,
    timeoutMs: parts.outside?.timeoutMs,
    wake: wakeSignal.wake,
    baseUrl: () => instance.url,
    home: parts.snapshots,
  };
  const playbooks = createPlaybooks(base);
  const apiKeys = createApiKeys({
    ...base,
    localKeys: parts.localKeys,
    onNewSpace: (current, space) => playbooks.install(current, space),
  });
  const faults = createFaults(base);
  const webhooks = createWebhooks(base);
  const { events } = webhooks;

  // The vault, and the effects of its changes.
  const vaultReading = createVaultReading(base);
  const decisions = createDecisions(base);
  const signals = createRiskSignals(base);
  const claims = createClaims(base);
  const hits = createHits({ ...base, signals });
  const statusChanges = createStatusChanges({
    ...base,
    vault: vaultReading.reads,
    decisions,
    signals,
    events,
  });
  const documents = createDocuments({ ...base, openOnboarding: findIncomplete });
  const vault = createVault({
    ...base,
    reading: vaultReading,
    listing: createFingerprintListing(queue),
    listener: {
      files: documents.listener,
      changed: createVaultChanges({ vault: vaultReading.reads, events, changes: statusChanges }),
    },
  });
  const vaultService = createVaultService({ ...base, vault });

  // Entities and their records.
  const entities = createEntities({
    ...base,
    vault,
    onRemoval: (current, entity) => endSessionsOf(current, entity, clock.now()),
  });
  const labels = createLabels(base);
  const notes = createNotes(base);
  const infoRequests = createInfoRequests({ ...base, events });
  const duplicates = createDuplicates({ ...base, vault, labels });
  const comparisons = createComparisons({ ...base, vault });
  const owners = createOwners(base);
  const tokens = createClientTokens(base);

  // Runs and hosted flows.
  const outcomes = createOutcomes(base);
  const sessionTokens = createSessionTokens({ ...base, vault });
  const onboardings = createOnboardings({
    ...base,
    hits,
    vault,
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
    owners,
    engine: onboardings.engine,
    tokens: sessionTokens,
    infoRequests,
  });
  const sessionRecords = createSessionRecords({ ...base, tokens: sessionTokens });
  // Third parties.
  const bankLinks = createBankLinks({ ...base, vault, events });
  const hosted = createHosted({
    ...base,
    vault,
    playbooks,
    sessions,
    engine: onboardings.engine,
    tokens: sessionTokens,
    banks: bankLinks,
    infoRequests,
  });
  const browserSessions = createBrowserSessions({
    ...base,
    vault,
    apiKeys,
    playbooks,
    sessions,
    tokens: sessionTokens,
  });
  const proxies = createProxies(base);
  const vaultProxy = createVaultProxy({ ...base, vault, configurations: proxies });
  const integrations = createIntegrations({ ...base, vault, decisions, onboardings, signals });

  // Search for support staff.
  const search = createSearch({ ...base, vault, signals, claims, parts: createPartIndex(base) });

  // The instance as a whole.
  const keyringOperations = createKeyringOperations(base);
  const storeChecks = createStoreChecks({
    database,
    folder: parts.snapshots.folder,
    blobs: parts.blobs,
    program: parts.daemonScriptFile,
  });
  /** Writes state that is kept in memory only. */
  async function flush(): Promise<void> {
    await Promise.all([apiKeys.flushUsage(), faults.flush(), anchor.flush()]);
  }
  const snapshots = createSnapshots({
    ...base,
    flush,
    beginPageCheck: () => storeChecks.beginPageCheck(),
    removeEntity: (current, fpId) => entities.removeFrom(current, fpId),
    onNewSpace: (current, space) => playbooks.install(current, space),
  });
  const sources = [onboardings.due, bankLinks.due, webhooks.due];
  const clockService = createClockService({
    ...base,
    sources,
    beforeMovingBack(current, now) {
      tokens.expire(current, now);
      sessions.expire(current, now);
      bankLinks.expire(current, now);
    },
  });
  wakeSignal.onWake(() => clockService.wake());
  const reset = createReset({
    ...base,
    vault,
    apiKeys,
    webhooks,
    proxies,
    clockService,
    resetNow: parts.resetNow,
    counted: { onboardings, sessions, outcome_rules: outcomes, bank_links: bankLinks, faults },
  });
  const pendingWork = () =>
    keyringOperations.pending() + sources.reduce((sum, source) => sum + source.pending(), 0);

  return {
    ...base,
    anchor,
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
