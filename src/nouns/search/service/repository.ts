/** The SQL of searches and of the review queue. `space` and results are row ids; times are epoch milliseconds. */
import type { EntityKind } from '../../entities/facts.ts';
import { ID_PREFIX } from '../../../kernel/ids/ids.ts';
import { prefixEnd } from '../../../kernel/text/text.ts';
import type { Database } from '../../../storage/database.ts';
import { scalarStatement, statement } from '../../../storage/statement.ts';

/** The scope: the entities of a space, or of one kind in it. */
export interface Among {
  readonly space: number;
  readonly kind: EntityKind | undefined;
}

type Named = Readonly<Record<string, string | number | null>>;

const OF_KIND = '(@kind IS NULL OR kind = @kind)';

/** Without the plus, SQLite would read all entities of the space to find the few that `where` names. */
function idsBy(database: Database, where: string, { space, kind }: Among, more: Named = {}): number[] {
  return scalarStatement<Named, number>(
    `SELECT id FROM entities WHERE +space = @space AND ${where} AND ${OF_KIND}`,
  ).all(database, { ...more, space, kind: kind ?? null });
}

/** Entities whose own id has this prefix. */
export function listByIdPrefix(database: Database, among: Among, prefix: string): number[] {
  return idsBy(database, 'fp_id >= @from AND fp_id < @to', among, { from: prefix, to: prefixEnd(prefix) });
}

/** A transaction id is unique within its link, so each link of the space is looked up by the index. */
const OF_TRANSACTION = `SELECT entity FROM bank_links WHERE bank_links.space = @space AND EXISTS (
  SELECT 1 FROM bank_transactions WHERE link = bank_links.seq AND id = @id)`;

/** Other kinds of ids, with the query for their entity. */
const OWNERS: Readonly<Partial<Record<keyof typeof ID_PREFIX, string>>> = {
  document: 'SELECT entity FROM documents WHERE id = @id',
  onboarding: 'SELECT entity FROM onboardings WHERE id = @id AND entity IS NOT NULL',
  onboardingSession: `SELECT id FROM entities WHERE fp_id IN (
    SELECT fp_id FROM onboarding_sessions WHERE session_id = @id
    UNION SELECT fp_bid FROM onboarding_sessions WHERE session_id = @id)`,
  bankLink: 'SELECT entity FROM bank_links WHERE id = @id',
  bankAccount:
    'SELECT entity FROM bank_accounts JOIN bank_links ON bank_links.seq = bank_accounts.link WHERE bank_accounts.id = @id',
  clientToken: 'SELECT entity FROM client_tokens WHERE id = @id',
  tag: 'SELECT entity FROM tags WHERE id = @id',
  note: 'SELECT entity FROM notes WHERE id = @id',
  event: 'SELECT id FROM entities WHERE fp_id IN (SELECT fp_id FROM events WHERE id = @id)',
  delivery: `SELECT id FROM entities WHERE fp_id IN (
    SELECT fp_id FROM deliveries JOIN events ON events.id = deliveries.event WHERE deliveries.id = @id)`,
  bankTransaction: OF_TRANSACTION,
  investmentTransaction: OF_TRANSACTION,
};

/** The entity of the record with this id: a document, run, bank account, event and so on. */
export function listByOwnedId(database: Database, among: Among, id: string): number[] {
  return Object.entries(OWNERS).flatMap(([kind, sql]) =>
    id.startsWith(ID_PREFIX[kind as keyof typeof ID_PREFIX])
      ? idsBy(database, `id IN (${sql})`, among, { id })
      : [],
  );
}

/** Entities whose external id contains this part, ignoring case. */
export function listByExternalIdPart(database: Database, among: Among, part: string): number[] {
  const index = 'FROM entities INDEXED BY entities_by_external_id';
  return scalarStatement<Named, number>(
    `SELECT id ${index} WHERE space = @space AND external_id IS NOT NULL
     AND instr(lower(external_id), @part) > 0 AND ${OF_KIND}`,
  ).all(database, { space: among.space, kind: among.kind ?? null, part: part.toLowerCase() });
}

export function listByLabel(database: Database, among: Among, label: string): number[] {
  return idsBy(database, 'space = @space AND label = @label AND label IS NOT NULL', among, { label });
}

export function listByTag(database: Database, among: Among, tag: string): number[] {
  return idsBy(database, 'id IN (SELECT entity FROM tags INDEXED BY tags_by_text WHERE tag = @tag)', among, {
    tag,
  });
}

/** Entities without a status are the rest: no index has them. */
export function listByStatus(database: Database, among: Among, status: string): number[] {
  const kinds = among.kind === undefined ? (['user', 'business'] as const) : [among.kind];
  return kinds.flatMap((kind) => {
    const having = (condition: string) =>
      scalarStatement<Named, number>(
        `SELECT id FROM entities INDEXED BY entities_by_status
         WHERE space = @space AND kind = @kind AND ${condition} AND status <> 'none'`,
      );
    const place = { space: among.space, kind };
    if (status !== 'none') return having('status = @status').all(database, { ...place, status });
    const others = new Set(having('true').all(database, place));
    return listAll(database, place).filter((id) => !others.has(id));
  });
}

export function listInReview(database: Database, { space, kind }: Among): number[] {
  return scalarStatement<Named, number>(
    `SELECT id FROM entities INDEXED BY entities_in_review
     WHERE space = @space AND ${OF_KIND} AND requires_manual_review = 1`,
  ).all(database, { space, kind: kind ?? null });
}

function listAll(database: Database, { space, kind }: { space: number; kind: EntityKind }): number[] {
  return scalarStatement<[number, string], number>(
    'SELECT id FROM entities INDEXED BY entities_by_age WHERE space = ? AND kind = ?',
  ).all(database, space, kind);
}

export function listEveryone(database: Database, { space, kind }: Among): number[] {
  const kinds = kind === undefined ? (['user', 'business'] as const) : [kind];
  return kinds.flatMap((each) => listAll(database, { space, kind: each }));
}

/** Those of these row ids that are in the scope. */
export function amongThese(database: Database, among: Among, ids: readonly number[]): number[] {
  if (ids.length === 0) return [];
  return idsBy(database, 'id IN (SELECT value FROM json_each(@ids))', among, { ids: JSON.stringify(ids) });
}

interface WaitingRun {
  readonly seq: number;
  /** Row id. */
  readonly entity: number;
  readonly onboarding_id: string;
  readonly playbook_key: string;
  /** When the wait began. */
  readonly since: number;
}

/**
 * The newest runs of entities that need a review, longest wait first, up to one more than `limit`. Earlier runs of an
 * entity no longer count.
 */
export function listWaiting(
  database: Database,
  { space, kind }: Among,
  { after, limit }: { after: Pick<WaitingRun, 'since' | 'seq'> | undefined; limit: number },
): WaitingRun[] {
  return statement<Named, WaitingRun>(
    `SELECT run.seq, run.entity, run.id AS onboarding_id, run.playbook_key, run.changed_at AS since
     FROM onboardings AS run INDEXED BY onboardings_in_review CROSS JOIN entities ON entities.id = run.entity
     WHERE run.space = @space AND run.requires_manual_review = 1 AND entities.requires_manual_review = 1
       AND (@kind IS NULL OR entities.kind = @kind) AND (run.changed_at, run.seq) > (@since, @seq)
       AND run.seq = (SELECT max(seq) FROM onboardings AS other WHERE other.entity = run.entity)
     ORDER BY run.changed_at, run.seq LIMIT @limit + 1`,
  ).all(database, {
    space,
    kind: kind ?? null,
    limit,
    since: after?.since ?? Number.MIN_SAFE_INTEGER,
    seq: after?.seq ?? 0,
  });
}
