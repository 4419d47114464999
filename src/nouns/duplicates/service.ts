/** Other users who share data with a user, found by blind indexes and confirmed by their values (contract §6). */
import { DUPLICATES_LIMIT } from '../../contract/facts/limits.ts';
import { DUPLICATE_KINDS, type DuplicateKind } from '../control/facts.ts';
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { listParameter } from '../cursor.ts';
import type { Database } from '../../storage/database.ts';
import { tupleStatement } from '../../storage/statement.ts';
import { accessEntry } from '../../vault/access-entry.ts';
import { listUnlistedBy, type FingerprintMap } from '../../vault/fingerprints.ts';
import { fingerprintedIdentifiers } from '../../vault/identifiers/index.ts';
import type { VaultReads } from '../../vault/vault-reads.ts';
import { misleadingIndex } from '../../vault/vault-reads.ts';
import { type EntityRow, findEntityByRow } from '../entities/service/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Labels } from '../labels/service.ts';
import type { LiveSettings } from '../settings/service.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Needs } from '../needs.ts';

// The SQL of duplicates: other entities with a blind index. Only reads; the vault writes the index.

interface OtherUser {
  /** Row id, increasing with creation. */
  readonly id: number;
  readonly fp_id: string;
  readonly external_id: string | null;
}

/**
 * Other users of the same space with this digest, newest first, at most `limit`: first those that the table doesn't
 * cover yet, then those in the table.
 */
export function listOthersByFingerprint(
  database: Database,
  user: Pick<EntityRow, 'id' | 'space'>,
  lookup: { digest: Uint8Array; limit: number },
): OtherUser[] {
  const byId = new Map<number, OtherUser>();
  const add = (rows: readonly OtherTuple[]) => {
    for (const [id, fp_id, external_id] of rows) byId.set(id, { id, fp_id, external_id });
  };
  for (const id of listUnlistedBy(database, lookup.digest))
    add(BY_ROW.all(database, id, user.id, user.space));
  add(BY_DIGEST.all(database, lookup.digest, user.id, user.space, lookup.limit));
  return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, lookup.limit);
}

type OtherTuple = [id: number, fp_id: string, external_id: string | null];
const OF_OTHERS = "AND entities.id <> ? AND space = ? AND kind = 'user'";

const BY_ROW = tupleStatement<[row: number, user: number, space: number], OtherTuple>(
  `SELECT id, fp_id, external_id FROM entities WHERE id = ? ${OF_OTHERS}`,
);

/**
 * CROSS JOIN forces this order of tables: SQLite reads the digest's rows from the newest and stops at the limit,
 * however many there are.
 */
const BY_DIGEST = tupleStatement<
  [digest: Uint8Array, user: number, space: number, limit: number],
  OtherTuple
>(`SELECT entities.id, fp_id, external_id
   FROM fingerprints CROSS JOIN entities ON entities.id = fingerprints.entity
   WHERE digest = ? ${OF_OTHERS} ORDER BY entity DESC LIMIT ?`);

/** The words for this kind in `kinds`, in addition to the configured one (contract §0.13). */
const NAME_DOB_WORDS: readonly string[] = ['name_dob', 'name_dobname'];

interface Match {
  readonly other: OtherUser;
  readonly kind: DuplicateKind;
}

export type Duplicates = ReturnType<typeof createDuplicates>;

export function createDuplicates(
  context: Needs<'database' | 'accessLog' | 'clock'> & {
    vault: VaultReads;
    settings: LiveSettings;
    labels: Labels;
  },
) {
  const { database, vault, settings, labels, accessLog, clock } = context;

  /** The kind for a word. A kind's own name takes precedence over the configured word. */
  function kindOf(word: string): DuplicateKind {
    const known = DUPLICATE_KINDS.find((kind) => kind === word);
    if (known) return known;
    const { duplicate_name_dob } = settings.current.vocabulary;
    if (word === duplicate_name_dob || NAME_DOB_WORDS.includes(word)) return 'name_dobname';
    const words = DUPLICATE_KINDS.map(wordOf).join(', ');
    throw invalid(`Query parameter kinds must be a comma-separated list of ${words}`);
  }

  function wordOf(kind: DuplicateKind): string {
    return kind === 'name_dobname' ? settings.current.vocabulary.duplicate_name_dob : kind;
  }

  /** Throws `vault_damaged` when a user who is found doesn't have the value. */
  function confirm(user: EntityRow, matches: readonly Match[]): void {
    const own = new Map<DuplicateKind, ReadonlySet<string>>();
    for (const { other: found, kind } of matches) {
      const other = findEntityByRow(database, found.id);
      if (!other) continue;
      const mine = own.get(kind) ?? vault.fingerprintsOf(database, user, kind);
      own.set(kind, mine);
      const isShared = [...vault.fingerprintsOf(database, other, kind)].some((digest) => mine.has(digest));
      if (!isShared) throw misleadingIndex(other);
    }
  }

  /** One record for each other user and kind, newest user first, then in the order of the kinds. */
  function list(
    user: EntityRow,
    wanted: ReadonlySet<DuplicateKind> = new Set(DUPLICATE_KINDS),
    limit: number = DUPLICATES_LIMIT,
  ): AnswerOf<'GET /users/{fp_id}/duplicates'> {
    const matches = findMatches(database, user, { wanted, limit });
    confirm(user, matches);
    const others = [...new Set(matches.map(({ other }) => other.id))];
    const labelOf = labels.labelOf(database, others);
    const tagsOf = labels.tagsOf(database, others);
    return matches.map(({ other: { id, fp_id, external_id }, kind }) => ({
      fp_id,
      external_id,
      kind: wordOf(kind),
      label: labelOf.get(id) ?? null,
      tags: [...(tagsOf.get(id) ?? [])],
    }));
  }

  return {
    list,
    handlers: {
      /** The answer shows which values are equal, so the access log has the identifiers that were compared. */
      'GET /users/{fp_id}/duplicates': async ({ entity, query: { kinds, limit }, ...call }) => {
        const words = kinds === undefined ? DUPLICATE_KINDS : listParameter('kinds', kinds);
        const wanted = new Set(words.map(kindOf));
        const identifiers = comparedIdentifiers(entity, wanted);
        const found = list(entity, wanted, limit);
        const access = { operation: 'compare', identifiers, outcome: 'granted', reason: null } as const;
        await accessLog.record(accessEntry(call, entity, { ...access, at: clock.now() }));
        return answer(found);
      },
    } satisfies Handlers<Extract<EndpointKey, `${string} /${string}/duplicates`>>,
  };
}

/** The identifiers of the user's blind indexes of these kinds, sorted. */
function comparedIdentifiers({ fingerprints }: EntityRow, wanted: ReadonlySet<string>): string[] {
  const identifiers = Object.keys(JSON.parse(fingerprints) as FingerprintMap).flatMap((key) => {
    const [kind = key, slot = ''] = key.split('/', 2);
    return wanted.has(kind) ? fingerprintedIdentifiers(kind, slot) : [];
  });
  return [...new Set(identifiers)].toSorted();
}

/**
 * The first `limit` matches. The newest `limit` others of each digest are sufficient: any user of a digest beyond these
 * has `limit` newer ones before them, each with a match.
 */
function findMatches(
  database: Database,
  user: EntityRow,
  { wanted, limit }: { wanted: ReadonlySet<DuplicateKind>; limit: number },
): Match[] {
  const digests = digestsByKind(user);
  const matches: Match[] = [];
  for (const kind of DUPLICATE_KINDS) {
    if (!wanted.has(kind)) continue;
    const others = new Map<number, OtherUser>();
    for (const hex of digests.get(kind) ?? []) {
      const lookup = { digest: Buffer.from(hex, 'hex'), limit };
      for (const other of listOthersByFingerprint(database, user, lookup)) others.set(other.id, other);
    }
    for (const other of others.values()) matches.push({ other, kind });
  }
  // Sorting is stable, so the kinds of one user stay in order.
  return matches.sort((one, next) => next.other.id - one.other.id).slice(0, limit);
}

/** The user's own blind indexes by kind; a slot is `kind` or `kind/alias`. */
function digestsByKind(user: EntityRow): ReadonlyMap<string, ReadonlySet<string>> {
  const byKind = new Map<string, Set<string>>();
  for (const [slot, digest] of Object.entries(JSON.parse(user.fingerprints) as FingerprintMap)) {
    const [kind = slot] = slot.split('/', 1);
    byKind.set(kind, (byKind.get(kind) ?? new Set()).add(digest));
  }
  return byKind;
}
