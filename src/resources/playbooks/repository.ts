/** All SQL of playbooks. Times are epoch milliseconds. */
import type { Outcome, PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { DocumentKind } from '../../contract/facts/vault.ts';
import { requireAbsent, type OwnKey } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

/** A playbook in the form that runs use. */
export interface PlaybookRow {
  /** Row id. */
  readonly space: number;
  readonly key: string;
  readonly name: string;
  readonly kind: PlaybookKind;
  readonly version: number;
  /** Groups of identifiers; one of a group is enough. */
  readonly requirements: readonly (readonly string[])[];
  readonly has_rules: boolean;
  readonly default_outcome: Outcome;
  /** Milliseconds until the outcome of a headless run. */
  readonly delay_ms: number;
  /** Milliseconds until the outcome after the user has left the hosted flow. */
  readonly session_delay_ms: number;
  readonly collects_owners: boolean;
  /** The kyc playbook on which each owner is run; null: they are only linked. */
  readonly owners_playbook_key: string | null;
  /** Kinds of which the hosted flow requires one; null for none, except in a playbook of kind document. */
  readonly documents: readonly DocumentKind[] | null;
  /** Whether the hosted flow requires a selfie with a document. */
  readonly selfie: boolean;
  /** Whether the hosted flow asks for a bank. */
  readonly bank_link: boolean;
  readonly created_at: number;
}

type StoredRow = Omit<
  PlaybookRow,
  'requirements' | 'has_rules' | 'collects_owners' | 'documents' | 'selfie' | 'bank_link'
> & {
  readonly requirements: string;
  readonly has_rules: number;
  readonly collects_owners: number;
  readonly documents: string | null;
  readonly selfie: number;
  readonly bank_link: number;
};

export function findPlaybook(database: Database, space: number, key: string): PlaybookRow | undefined {
  const row = statement<[number, string], StoredRow>(
    'SELECT * FROM playbooks WHERE space = ? AND key = ?',
  ).get(database, space, key);
  if (!row) requireAbsent(database, BY_KEY, [space, key]);
  return row && read(row);
}

const BY_KEY: OwnKey = {
  table: 'playbooks',
  columns: ['space', 'key'],
  twin: { index: 'playbooks_by_age', columns: ['space', 'created_at'] },
};

export function hasPlaybooks(database: Database, space: number): boolean {
  return (
    scalarStatement<[number], 1>('SELECT 1 FROM playbooks WHERE space = ? LIMIT 1').get(database, space) !==
    undefined
  );
}

/** Returns false when the key is taken in this space. */
export function insertPlaybook(database: Database, row: PlaybookRow): boolean {
  const { changes } =
    statement<StoredRow>(`INSERT INTO playbooks (space, key, name, kind, version, requirements, has_rules, default_outcome, delay_ms,
       session_delay_ms, collects_owners, owners_playbook_key, documents, selfie, bank_link, created_at)
     VALUES (@space, @key, @name, @kind, @version, @requirements, @has_rules, @default_outcome, @delay_ms,
       @session_delay_ms, @collects_owners, @owners_playbook_key, @documents, @selfie, @bank_link,
       @created_at) ON CONFLICT DO NOTHING`).run(database, stored(row));
  return changes === 1;
}

export function updatePlaybook(database: Database, row: PlaybookRow): void {
  statement<StoredRow>(`UPDATE playbooks SET name = @name, version = @version, requirements = @requirements, has_rules = @has_rules,
       default_outcome = @default_outcome, delay_ms = @delay_ms, session_delay_ms = @session_delay_ms,
       collects_owners = @collects_owners, owners_playbook_key = @owners_playbook_key, documents = @documents,
       selfie = @selfie, bank_link = @bank_link
     WHERE space = @space AND key = @key`).run(database, stored(row));
}

/** Returns how many were deleted: 0 when the space has no playbook of this key. */
export function deletePlaybook(database: Database, space: number, key: string): number {
  const { changes } = statement<[number, string]>('DELETE FROM playbooks WHERE space = ? AND key = ?').run(
    database,
    space,
    key,
  );
  if (changes === 0) requireAbsent(database, BY_KEY, [space, key]);
  return changes;
}

/** Whether an onboarding on it is still open. Those of deleted entities never end and don't count. */
export function hasOpenOnboardings(database: Database, space: number, key: string): boolean {
  return (
    scalarStatement<[number, string], 1>(`SELECT 1 FROM onboardings
       WHERE space = ? AND playbook_key = ? AND completed_at IS NULL AND entity IS NOT NULL LIMIT 1`).get(
      database,
      space,
      key,
    ) !== undefined
  );
}

export interface PlaybookFilter {
  readonly space: number;
  readonly kind: PlaybookKind | null;
}

const MATCHES = 'space = @space AND (@kind IS NULL OR kind = @kind)';

/** Newest first, ties by key descending; up to one more than `limit`, starting after the place `after`. */
export function listPlaybooks(
  database: Database,
  filter: PlaybookFilter,
  page: { after: { created_at: number; key: string } | undefined; limit: number },
): PlaybookRow[] {
  const rows = statement<
    { after_at: number | null; after_key: string | null; limit: number; space: number; kind: string | null },
    StoredRow
  >(`SELECT * FROM playbooks
     WHERE ${MATCHES} AND (@after_at IS NULL OR (created_at, key) < (@after_at, @after_key))
     ORDER BY created_at DESC, key DESC LIMIT @limit + 1`).all(database, {
    ...filter,
    after_at: page.after?.created_at ?? null,
    after_key: page.after?.key ?? null,
    limit: page.limit,
  });
  return rows.map(read);
}

export function countPlaybooks(database: Database, filter: PlaybookFilter): number {
  return scalarStatement<PlaybookFilter, number>(`SELECT count(*) FROM playbooks WHERE ${MATCHES}`).one(
    database,
    filter,
  );
}

function read(row: StoredRow): PlaybookRow {
  return {
    ...row,
    requirements: JSON.parse(row.requirements) as string[][],
    has_rules: row.has_rules === 1,
    collects_owners: row.collects_owners === 1,
    documents: row.documents === null ? null : (JSON.parse(row.documents) as DocumentKind[]),
    selfie: row.selfie === 1,
    bank_link: row.bank_link === 1,
  };
}

function stored(row: PlaybookRow): StoredRow {
  return {
    ...row,
    requirements: JSON.stringify(row.requirements),
    has_rules: Number(row.has_rules),
    collects_owners: Number(row.collects_owners),
    documents: row.documents === null ? null : JSON.stringify(row.documents),
    selfie: Number(row.selfie),
    bank_link: Number(row.bank_link),
  };
}
