/**
 * Resets a large store by replacing it with a new one that has the data to keep, as a load does. However much is
 * deleted, requests only wait for the exchange, and see all of it or nothing. The old data is removed with its file.
 */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { numberPragma } from '../../storage/binding.ts';
import type { Database } from '../../storage/database.ts';
import { emptyStore } from '../../storage/prepared-store.ts';
import { translated } from '../../storage/snapshot-file.ts';
import { removeDraft } from '../../storage/snapshot-folder.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';
import type { Keyring } from '../../vault/keyring/index.ts';
import { beginLogAfter, sealHead } from '../../vault/log-anchor.ts';
import { listFiles } from '../../vault/repository.ts';
import type { ApiKeys } from '../api-keys/service/index.ts';
import { type ClockService, saveClockSetting } from '../clock/service/index.ts';
import { countByKind, deleteAllEntities } from '../entities/service/index.ts';
import { answered, type Handlers } from '../handlers.ts';
import type { Proxies } from '../proxies/service.ts';
import type { Journal } from '../requests/service.ts';
import type { LiveSettings } from '../settings/service.ts';
import type { SnapshotHome } from '../snapshots/service/index.ts';
import type { Stream } from '../stream/service.ts';
import type { Webhooks } from '../webhooks/service/index.ts';
import type { Needs } from '../needs.ts';

// The data that a reset keeps and counts, when it creates a new store instead of emptying the current one.

/** Tables that no reset empties, ordered so that each row follows the rows that it references. */
const KEPT_TABLES = [
  'keyring_slots',
  'root_keys',
  'instance_keys',
  'instance_values',
  'tombstones',
  'spaces',
  'api_keys',
  'playbooks',
  'webhooks',
  'proxy_configurations',
];

/** Copies the rows that a reset keeps from `from` to an empty store, in a transaction of its own. */
function copyKept(from: Database, to: Database): void {
  to.transaction(() => {
    for (const table of KEPT_TABLES) copyTable(table, from, to);
  })();
}

function copyTable(table: string, from: Database, to: Database): void {
  const rows = tupleStatement<[], readonly (string | number | Uint8Array | null)[]>(
    `SELECT * FROM ${table}`,
  ).all(from);
  const [first] = rows;
  if (!first) return;
  const insert = statement<readonly (string | number | Uint8Array | null)[]>(
    `INSERT INTO ${table} VALUES (${first.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(to, ...row);
}

const COUNTED_TABLES = {
  onboardings: 'onboardings',
  sessions: 'onboarding_sessions',
  outcome_rules: 'outcome_rules',
  bank_links: 'bank_links',
  faults: 'fault_rules',
  events: 'events',
  deliveries: 'deliveries',
} as const;

/** The number of rows that a reset deletes, by the names in its response. */
function countDeleted(database: Database): Counts {
  const counts = Object.entries(COUNTED_TABLES).map(([name, table]) => [
    name,
    scalarStatement<[], number>(`SELECT count(*) FROM ${table}`).one(database),
  ]);
  return Object.fromEntries(counts) as Counts;
}

function countUsedPages(database: Database): number {
  return numberPragma(database, 'page_count') - numberPragma(database, 'freelist_count');
}

/** Deletes the data of a resource, in the write job of a reset; returns the number of records. */
interface Resettable {
  reset(database: Database): number;
}

interface ResetContext extends Needs<'queue' | 'random' | 'keyring' | 'vault' | 'accessLog'> {
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

type ResetRequest = NonNullable<RequestOf<'POST /_kyclone/reset'>['body']> & { readonly requestId: string };
type ResetAnswer = AnswerOf<'POST /_kyclone/reset'>;

/** Resets to the seeded state; `hard` resets to the first start, with only the local user's keys (contract §11). */
export type Reset = (request: ResetRequest, how?: { readonly isInPlace: true }) => Promise<ResetAnswer>;

type Counts = Readonly<Record<string, number>>;

/** About 2 MiB, a thousand users: above this, deleting row by row takes longer than creating a new store. */
const MOST_PAGES_IN_PLACE = 512;

export function createReset(context: ResetContext): Reset {
  const { queue, random, keyring, vault, accessLog, journal, stream, home, resetNow } = context;
  const { database } = queue;

  /**
   * Undefined for a small store, which is reset in place; 'impossible' while a snapshot or another reset replaces the
   * store, and when the disk has no room for a second store. Throws other errors of an exchange; the old state is then
   * served.
   */
  async function inAnotherStore(request: ResetRequest): Promise<Counts | 'impossible' | undefined> {
    if (countUsedPages(database) <= MOST_PAGES_IN_PLACE) return undefined;
    try {
      return await home.turns.takeAlone(() => exchanged(request));
    } catch (error) {
      if (error instanceof ServiceError && ['conflict', 'storage_full'].includes(error.code))
        return 'impossible';
      throw error;
    }
  }

  /** Returns the number of deleted records of each kind. */
  async function exchanged({ seed, requestId }: ResetRequest): Promise<Counts> {
    const draft = await home.folder.draft();
    let deleted: Counts = {};
    let files: readonly string[] = [];
    try {
      const store = await emptyStore(draft);
      try {
        await home.replaceStore({
          path: draft,
          requestId,
          oldFiles: () => files,
          // Copies and counts at the same moment.
          finish() {
            files = listFiles(database);
            deleted = { ...countByKind(database), ...countDeleted(database), files: files.length };
            translated(() => {
              copyKept(database, store.database);
              beginAgain(database, store.database, keyring);
            });
            store.close();
            random.restart(seed);
            return Promise.resolve();
          },
        });
      } finally {
        store.close();
      }
    } finally {
      await removeDraft(draft);
    }
    return deleted;
  }

  async function inPlace({ hard = false, seed }: ResetRequest): Promise<Counts> {
    random.restart(seed);
    const { counts, released } = await queue.free((current) => {
      const files = vault.forgetAll(current);
      const records = Object.entries(context.counted).map(
        ([name, noun]) => [name, noun.reset(current)] as const,
      );
      const sent = context.webhooks.reset(current, { hard });
      if (hard) context.proxies.reset(current);
      const entities = deleteAllEntities(current);
      accessLog.clear(current);
      context.clockService.reset(current);
      const counts: Counts = { ...entities, ...Object.fromEntries(records), ...sent };
      return { counts, released: files };
    });
    await vault.discard(released);
    if (hard) {
      await context.apiKeys.installLocalKeys({ isFresh: true });
      await context.settings.restore();
    }
    return { ...counts, files: released.length };
  }

  return async (request, how) => {
    const replaced = how ? undefined : await inAnotherStore(request);
    // An exchange that was started has ended this service, even if it failed.
    if (replaced === 'impossible') return await resetNow(request, { isInPlace: true });
    if (replaced && request.hard) {
      // The additional data of a hard reset is small, and is deleted from the new store.
      const { deleted } = await resetNow(request);
      return { deleted: sumOf(replaced, deleted) };
    }
    const deleted = replaced ?? (await inPlace(request));
    const requests = journal.size;
    journal.clear();
    stream.clear();
    queue.scrub();
    return { deleted: { ...deleted, requests } };
  };
}

function sumOf(one: Counts, other: Counts): Record<string, number> {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** Resets rows that are kept: the clock, and the access log, which starts a new, empty chain. */
function beginAgain(from: Database, to: Database, keyring: Keyring): void {
  const log = keyring.instanceKey('access log');
  to.transaction(() => {
    saveClockSetting(to, { mode: 'real' });
    sealHead(to, log, undefined, false);
    beginLogAfter(from, to, { anchor: keyring.snapshots.anchorKey, log });
  })();
}

export function resetHandlers(reset: Reset): Handlers<'POST /_kyclone/reset'> {
  return { 'POST /_kyclone/reset': ({ body, requestId }) => answered(reset({ ...body, requestId })) };
}
