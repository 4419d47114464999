/** Assembles the service: nouns.ts makes the parts, handlers.ts maps endpoints to them, the app serves those. */
import { hash } from 'node:crypto';
import { createApp } from '../http/app.ts';
import { timestamp } from '../kernel/clock.ts';
import { SECOND_MS } from '../kernel/units.ts';
import { sweepAhead } from '../vault/values-ahead.ts';
import { sweepDebris } from '../storage/debris.ts';
import type { Parts, Service } from './composition.ts';
import { createHandlers } from './handlers.ts';
import { createNouns } from './nouns.ts';

/** How long fault rules may keep holding a request at a stop; shorter than the limit of the stop itself. */
const HELD_AT_STOP_MS = SECOND_MS;

export async function compose(parts: Parts): Promise<Service> {
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
    log: parts.log,
    hasRetired: parts.hasRetired,
    limits: parts.limits,
    budget: parts.budget,
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
