import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import type { Keyring } from '../../vault/keyring/index.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ApiKeys } from '../api-keys/index.ts';
import type { ClockService } from '../clock/index.ts';
import { deleteAllEntities } from '../entities/index.ts';
import type { Proxies } from '../proxies/index.ts';
import type { Journal } from '../requests/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { SnapshotHome } from '../snapshots/index.ts';
import type { Stream } from '../stream/index.ts';
import type { Webhooks } from '../webhooks/index.ts';
import { resetIntoAnother } from './another-store.ts';
import { countUsedPages } from './repository.ts';

/** Deletes the data of a resource, in the write job of a reset; returns the number of records. */
interface Resettable {
  reset(database: Database): number;
}

export interface ResetContext {
  readonly queue: WriteQueue;
  readonly random: Randomness;
  readonly keyring: Keyring;
  readonly vault: Vault;
  readonly accessLog: AccessLog;
  readonly apiKeys: ApiKeys;
  readonly settings: LiveSettings;
  readonly journal: Journal;
  readonly stream: Stream;
  /** Resources that every reset deletes, by the names of their counts in the response. */
  readonly counted: Readonly<
    Record<'onboardings' | 'sessions' | 'outcome_rules' | 'bank_links' | 'faults', Resettable>
  >;
  readonly webhooks: Webhooks;
  readonly proxies: Proxies;
  readonly clockService: ClockService;
  readonly home: SnapshotHome;
  /** The reset of the service that is current when it is called. */
  readonly resetNow: Reset;
}

export type ResetRequest = NonNullable<RequestOf<'POST /_kyclone/reset'>['body']> & {
  readonly requestId: string;
};
export type ResetAnswer = AnswerOf<'POST /_kyclone/reset'>;

/** Resets to the seeded state; `hard` resets to the first start, with only the local user's keys (contract §11). */
export type Reset = (request: ResetRequest, how?: { readonly isInPlace: true }) => Promise<ResetAnswer>;

type Counts = Readonly<Record<string, number>>;

/** About 2 MiB, a thousand users: above this, deleting row by row takes longer than creating a new store. */
const MOST_PAGES_IN_PLACE = 512;

export function createReset(context: ResetContext): Reset {
  const { queue, journal, stream, resetNow } = context;

  return async (request, how) => {
    const replaced = how ? undefined : await inAnotherStore(context, request);
    // An exchange that was started has ended this service, even if it failed.
    if (replaced === 'impossible') return await resetNow(request, { isInPlace: true });
    if (replaced && request.hard) {
      // The additional data of a hard reset is small, and is deleted from the new store.
      const { deleted } = await resetNow(request);
      return { deleted: sumOf(replaced, deleted) };
    }
    const deleted = replaced ?? (await inPlace(context, request));
    const requests = journal.size;
    journal.clear();
    stream.clear();
    queue.scrub();
    return { deleted: { ...deleted, requests } };
  };
}

/**
 * Undefined for a small store, which is reset in place; 'impossible' while a snapshot or another reset replaces the
 * store, and when the disk has no room for a second store.
 */
async function inAnotherStore(
  context: ResetContext,
  request: ResetRequest,
): Promise<Counts | 'impossible' | undefined> {
  const { database } = context.queue;
  if (countUsedPages(database) <= MOST_PAGES_IN_PLACE) return undefined;
  try {
    return await resetIntoAnother({ ...context, database }, request);
  } catch (error) {
    if (error instanceof ServiceError && ['conflict', 'storage_full'].includes(error.code))
      return 'impossible';
    throw error;
  }
}

async function inPlace(context: ResetContext, { hard = false, seed }: ResetRequest): Promise<Counts> {
  const { queue, accessLog, apiKeys, settings } = context;
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
  return { ...counts, files: released.length };
}

function sumOf(one: Counts, other: Counts): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}
