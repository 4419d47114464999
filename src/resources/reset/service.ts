import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ApiKeys } from '../api-keys/index.ts';
import type { ClockService } from '../clock/index.ts';
import { deleteAllEntities } from '../entities/index.ts';
import type { Proxies } from '../proxies/index.ts';
import type { Journal } from '../requests/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { Stream } from '../stream/index.ts';
import type { Webhooks } from '../webhooks/index.ts';

/** Deletes what a noun holds, in the write job of a reset; returns how many there were. */
interface Resettable {
  reset(database: Database): number;
}

export interface ResetContext {
  readonly queue: WriteQueue;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly accessLog: AccessLog;
  readonly apiKeys: ApiKeys;
  readonly settings: LiveSettings;
  readonly journal: Journal;
  readonly stream: Stream;
  /** What every reset deletes, by the name under which the answer counts it. */
  readonly counted: Readonly<
    Record<'onboardings' | 'sessions' | 'outcome_rules' | 'bank_links' | 'faults', Resettable>
  >;
  readonly webhooks: Webhooks;
  readonly proxies: Proxies;
  readonly clockService: ClockService;
}

/** Back to the seeded state; `hard`: back to the first start, with the local user's keys only (contract §11). */
export async function resetInstance(
  context: ResetContext,
  { hard = false, seed }: NonNullable<RequestOf<'POST /_kyclone/reset'>['body']>,
): Promise<AnswerOf<'POST /_kyclone/reset'>> {
  const { queue, accessLog, apiKeys, settings, journal } = context;
  context.random.restart(seed);
  const { counts, released } = await queue.free((database) => {
    const { counted } = context;
    const files = context.vault.forgetAll(database);
    const onboardings = counted.onboardings.reset(database);
    const sessions = counted.sessions.reset(database);
    const outcome_rules = counted.outcome_rules.reset(database);
    const sent = context.webhooks.reset(database, { hard });
    if (hard) context.proxies.reset(database);
    const faults = counted.faults.reset(database);
    const bank_links = counted.bank_links.reset(database);
    const entities = deleteAllEntities(database);
    accessLog.clear(database);
    context.clockService.reset(database);
    return {
      counts: { ...entities, onboardings, sessions, outcome_rules, bank_links, faults, ...sent },
      released: files,
    };
  });
  await context.vault.discard(released);
  if (hard) {
    await apiKeys.installLocalKeys({ isFresh: true });
    await settings.restore();
  }
  const requests = journal.size;
  journal.clear();
  context.stream.clear();
  queue.scrub();
  return { deleted: { ...counts, files: released.length, requests } };
}
