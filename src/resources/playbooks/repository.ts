/** All SQL of playbooks. Times are epoch milliseconds. */
import type { Outcome, PlaybookKind } from '../../contract/facts/onboardings.ts';
import type { DocumentKind } from '../../contract/facts/vault.ts';
import { requireAbsent, type OwnKey } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement } from '../../storage/statement.ts';
import { boolean, integer, json, optional, table, text, textOf, type RowOf } from '../../storage/table.ts';

const PLAYBOOKS = table(
  'playbooks',
  {
    /** Row id. */
    space: integer,
    key: text,
    name: text,
    kind: textOf<PlaybookKind>(),
    version: integer,
    /** Groups of identifiers; one of a group is enough. */
    requirements: json<string[][]>(),
    has_rules: boolean,
    default_outcome: textOf<Outcome>(),
    /** Milliseconds until the outcome of a headless run. */
    delay_ms: integer,
    /** Milliseconds until the outcome after the user has left the hosted flow. */
    session_delay_ms: integer,
    collects_owners: boolean,
    /** The kyc playbook on which each owner is run; null: they are only linked. */
    owners_playbook_key: optional(text),
    /** Kinds of which the hosted flow requires one; null for none, except in a playbook of kind document. */
    documents: optional(json<DocumentKind[]>()),
    /** Whether the hosted flow requires a selfie with a document. */
    selfie: boolean,
    /** Whether the hosted flow asks for a bank. */
    bank_link: boolean,
    created_at: integer,
  },
  { key: ['space', 'key'], fixed: ['kind', 'created_at'] },
);

/** A playbook in the form that runs use. */
export type PlaybookRow = RowOf<typeof PLAYBOOKS>;

const BY_KEY: OwnKey = {
  table: 'playbooks',
  columns: ['space', 'key'],
  twin: { index: 'playbooks_by_age', columns: ['space', 'created_at'] },
};

export const findPlaybook = PLAYBOOKS.find<[space: number, key: string]>(BY_KEY);
export const hasPlaybooks = PLAYBOOKS.has<[space: number]>('space = ?');

/** Returns false when the key is taken in this space. */
export const insertPlaybook = PLAYBOOKS.insertNew;
export const updatePlaybook = PLAYBOOKS.update;

const deleteByKey = PLAYBOOKS.delete<[space: number, key: string]>('space = ? AND key = ?');

/** Returns how many were deleted: 0 when the space has no playbook of this key. */
export function deletePlaybook(database: Database, space: number, key: string): number {
  const changes = deleteByKey(database, space, key);
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

/** Newest first, ties by key descending. */
export const listPlaybooks = PLAYBOOKS.page<PlaybookFilter, 'created_at' | 'key'>(
  MATCHES,
  ['created_at', 'key'],
  'DESC',
);
export const countPlaybooks = PLAYBOOKS.count<PlaybookFilter>(MATCHES);
