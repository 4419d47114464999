import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ApiKeys } from '../api-keys/index.ts';
import type { BankLinks } from '../bank-links/index.ts';
import type { ClockService } from '../clock/index.ts';
import { deleteAllEntities } from '../entities/index.ts';
import type { Onboardings, Sessions } from '../onboardings/index.ts';
import type { Outcomes } from '../outcomes/index.ts';
import type { Faults } from '../faults/index.ts';
import type { Proxies } from '../proxies/index.ts';
import type { Journal } from '../requests/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { Stream } from '../stream/index.ts';
import type { Webhooks } from '../webhooks/index.ts';

export interface ResetContext {
  readonly queue: WriteQueue;
  readonly accessLog: AccessLog;
  readonly apiKeys: ApiKeys;
  readonly settings: LiveSettings;
  readonly journal: Journal;
  readonly faults: Faults;
  readonly vault: Vault;
  readonly random: Randomness;
  readonly onboardings: Onboardings;
  readonly sessions: Sessions;
  readonly outcomes: Outcomes;
  readonly webhooks: Webhooks;
  readonly proxies: Proxies;
  readonly bankLinks: BankLinks;
  readonly clockService: ClockService;
  readonly stream: Stream;
  readonly localKeys: { readonly sandbox: string; readonly live: string };
}

/** Back to the seeded state; `hard`: back to the first start, with the local user's keys only (contract §11). */
export async function resetInstance(
  context: ResetContext,
  { hard = false, seed }: NonNullable<RequestOf<'POST /_kyclone/reset'>['body']>,
): Promise<AnswerOf<'POST /_kyclone/reset'>> {
  const { queue, accessLog, apiKeys, settings, journal } = context;
  context.random.restart(seed);
  const { counts, released } = await queue.free((database) => {
    const files = context.vault.forgetAll(database);
    const onboardings = context.onboardings.reset(database);
    const sessions = context.sessions.reset(database);
    const outcome_rules = context.outcomes.reset(database);
    const told = context.webhooks.reset(database, { hard });
    if (hard) context.proxies.reset(database);
    const faults = context.faults.reset(database);
    const bank_links = context.bankLinks.reset(database);
    const entities = deleteAllEntities(database);
    accessLog.clear(database);
    context.clockService.reset(database);
    return {
      counts: { ...entities, onboardings, sessions, outcome_rules, bank_links, faults, ...told },
      released: files,
    };
  });
  await context.vault.discard(released);
  if (hard) {
    await apiKeys.installLocalKeys(context.localKeys, { isFresh: true });
    await settings.restore();
  }
  const requests = journal.size;
  journal.clear();
  context.stream.clear();
  queue.scrub();
  return { deleted: { ...counts, files: released.length, requests } };
}
