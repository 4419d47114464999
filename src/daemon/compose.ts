/** Every part of the service is made and joined here, and nowhere else. */
import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Key } from '../contract/registry.ts';
import type { SettingsPatch } from '../contract/settings.ts';
import { systemClock, type Clock } from '../kernel/clock.ts';
import type { Randomness } from '../kernel/random.ts';
import { createOutbound, type Resolve } from '../outbound/index.ts';
import { createApp, type AppContext } from '../http/app.ts';
import { createApiKeys, type LocalKeys } from '../resources/api-keys/index.ts';
import { businessHandlers } from '../resources/businesses/index.ts';
import { emulatorHandlers, keyringOperations, type Instance } from '../resources/emulator/index.ts';
import { clientTokenHandlers, createClientTokens } from '../resources/client-tokens/index.ts';
import { createDocuments, documentHandlers } from '../resources/documents/index.ts';
import { createDuplicates, duplicateHandlers } from '../resources/duplicates/index.ts';
import { createEntities } from '../resources/entities/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import { createLabels, labelHandlers } from '../resources/labels/index.ts';
import { createJournal, requestHandlers } from '../resources/requests/index.ts';
import { createSettings } from '../resources/settings/index.ts';
import { userHandlers } from '../resources/users/index.ts';
import { createVaultService, vaultHandlers } from '../resources/vault/index.ts';
import { createVaultProxy, vaultProxyHandlers } from '../resources/vault-proxy/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { createWriteQueue, type WriteQueue } from '../storage/writer.ts';
import { createAccessLog } from '../vault/access-log.ts';
import type { Keyring } from '../vault/keyring/index.ts';
import { createVault } from '../vault/vault.ts';

export interface Parts {
  readonly database: Database;
  /** Where sealed files are kept. */
  readonly blobs: BlobStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly instance: Instance;
  readonly localKeys: LocalKeys;
  readonly controlToken: string;
  readonly settings: SettingsPatch;
  readonly log: AppContext['log'];
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
  /** How hosts are resolved and how long an answer is waited for, where tests want it otherwise. */
  readonly outside?: { readonly resolve?: Resolve; readonly timeoutMs?: number };
}

export interface Service {
  readonly app: FastifyInstance;
  readonly queue: WriteQueue;
  /** Writes what is kept in memory only; before the queue is closed. */
  flush(): Promise<void>;
}

export async function compose(parts: Parts): Promise<Service> {
  const { database, blobs, keyring, clock, random, instance, localKeys } = parts;
  const queue = createWriteQueue(database);
  const accessLog = createAccessLog(queue, keyring.instanceKey('access log'));
  const documents = createDocuments({ random });
  const vault = createVault({ keyring, clock, blobs, listener: documents.listener });
  const settings = createSettings(queue, parts.settings);
  const apiKeys = createApiKeys({ queue, clock, random });
  const journal = createJournal();
  const labels = createLabels({ queue, clock, random });
  const duplicates = createDuplicates({ settings, labels });
  const entities = createEntities({ queue, vault, accessLog, clock, random });
  const vaultService = createVaultService({ queue, vault, accessLog, clock });
  const tokens = createClientTokens({ queue, clock, random });
  const outbound = createOutbound({
    self: instance,
    // Certificates are judged by the machine's clock, whatever the instance's says.
    realNow: () => systemClock.realNow(),
    resolve: parts.outside?.resolve,
  });
  const vaultProxy = createVaultProxy({
    queue,
    vault,
    accessLog,
    clock,
    settings,
    journal,
    outbound,
    timeoutMs: parts.outside?.timeoutMs,
  });

  await vault.sweepFiles(database);
  await apiKeys.installLocalKeys(localKeys, { isFresh: false });
  const rotation = keyringOperations({ queue, keyring, clock });
  rotation.resume();

  const handlers: Handlers<Key> = {
    ...userHandlers(entities),
    ...businessHandlers(entities),
    ...vaultHandlers(vaultService),
    ...clientTokenHandlers({ tokens, vault: vaultService }),
    ...documentHandlers({ database, documents }),
    ...duplicateHandlers({ database, duplicates }),
    ...labelHandlers(labels),
    ...vaultProxyHandlers(vaultProxy),
    ...requestHandlers(journal),
    ...emulatorHandlers({
      instance,
      settings,
      apiKeys,
      queue,
      accessLog,
      clock,
      journal,
      keyring: rotation,
      vault,
      random,
      localKeys,
      documents,
      duplicates,
      labels,
      tokens,
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
    instance,
    clock,
    random,
    controlTokenDigest: hash('sha256', parts.controlToken, 'buffer'),
    log: parts.log,
  });
  return { app, queue, flush: () => apiKeys.flushUsage() };
}
