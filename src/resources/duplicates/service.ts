/** Other users who share data with a user, found by blind indexes without opening a value (contract §6). */
import { DUPLICATE_KINDS, type DuplicateKind } from '../../contract/facts/control.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { FingerprintMap } from '../../vault/fingerprints.ts';
import type { EntityRow } from '../entities/index.ts';
import type { Labels } from '../labels/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import { listOthersByFingerprint, type OtherUser } from './repository.ts';

export type DuplicateRecord = AnswerOf<'GET /users/{fp_id}/duplicates'>[number];

export interface Duplicates {
  /**
   * One record for each other user and kind, newest user first, then in the order of the kinds. `kinds` is the raw
   * parameter: throws `invalid_request` for an unknown one; all by default. `limit` is 1 to 100, 100 by default.
   */
  list(
    database: Database,
    user: EntityRow,
    query: { readonly kinds?: readonly string[]; readonly limit?: number },
  ): DuplicateRecord[];
}

const LIMIT = 100;
/** The words for this kind in `kinds`, in addition to the configured one (contract §0.13). */
const NAME_DOB_WORDS: readonly string[] = ['name_dob', 'name_dobname'];

interface Match {
  readonly other: OtherUser;
  readonly kind: DuplicateKind;
}

export function createDuplicates(context: { settings: LiveSettings; labels: Labels }): Duplicates {
  const { settings, labels } = context;

  /** The kind for a word. A kind's own name takes precedence over the configured word. */
  function kindOf(word: string): DuplicateKind {
    const known = DUPLICATE_KINDS.find((kind) => kind === word);
    if (known) return known;
    const { duplicate_name_dob } = settings.current.vocabulary;
    if (word === duplicate_name_dob || NAME_DOB_WORDS.includes(word)) return 'name_dobname';
    const words = DUPLICATE_KINDS.map(wordOf).join(', ');
    throw new ServiceError('invalid_request', `Query parameter kinds must be a comma list of ${words}`);
  }

  function wordOf(kind: DuplicateKind): string {
    return kind === 'name_dobname' ? settings.current.vocabulary.duplicate_name_dob : kind;
  }

  return {
    list(database, user, { kinds, limit = LIMIT }) {
      const wanted = new Set(kinds?.map(kindOf) ?? DUPLICATE_KINDS);
      const matches = findMatches(database, user, { wanted, limit });
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
    },
  };
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
