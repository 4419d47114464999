/** All SQL of outcome rules. */
import type { Outcome, PlaybookKind } from '../../contract/facts/onboardings.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

/** The conditions for a run; the value for the identifier is sealed separately. */
export interface StoredMatch {
  readonly fp_id?: string;
  readonly external_id?: string;
  readonly sandbox_id?: string;
  readonly playbook_key?: string;
  readonly kind?: PlaybookKind;
  readonly identifier?: { readonly name: string };
}

/** Codes that a rule adds to a run's signals, and removes from them. */
export interface SignalChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface RuleRow {
  /** Orders rules by age, oldest first. */
  readonly seq: number;
  readonly id: string;
  /** Row id. */
  readonly space: number;
  /** 0 is tried first. */
  readonly priority: number;
  readonly enabled: boolean;
  readonly match: StoredMatch;
  /** The text that `match.identifier` is compared with; null without. */
  readonly sealed_equals: Uint8Array | null;
  readonly outcome: Outcome;
  readonly delay_ms: number | null;
  readonly signals: SignalChanges | null;
  readonly times: number | null;
  /** The remaining count; at 0 the rule is used up. */
  readonly remaining: number | null;
}

type StoredRow = Omit<RuleRow, 'enabled' | 'match' | 'signals'> & {
  readonly enabled: number;
  readonly match: string;
  readonly signals: string | null;
};

export function findRule(database: Database, space: number, id: string): RuleRow | undefined {
  const row = statement<[string], StoredRow>('SELECT * FROM outcome_rules WHERE id = ?').get(database, id);
  if (!row) requireAbsent(database, BY_ID, [id]);
  return row?.space === space ? read(row) : undefined;
}

const BY_ID: TableIndex = {
  table: 'outcome_rules',
  index: 'sqlite_autoindex_outcome_rules_1',
  columns: ['id'],
};

/** Whether a rule of any tenant has this id. */
export function isRuleId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM outcome_rules WHERE id = ?').get(database, id) !== undefined
  );
}

/** Rules that can still apply, in the order in which they are tried. */
export function listActiveRules(database: Database, space: number): RuleRow[] {
  const rows = statement<[number], StoredRow>(
    `SELECT * FROM outcome_rules WHERE space = ? AND enabled = 1 AND remaining IS NOT 0 ORDER BY priority, seq`,
  ).all(database, space);
  return rows.map(read);
}

/** In the order in which they are tried; up to one more than `limit`, starting after the place `after`. */
export function listRules(
  database: Database,
  space: number,
  page: { after: { priority: number; seq: number } | undefined; limit: number },
): RuleRow[] {
  const rows = statement<
    { space: number; priority: number | null; seq: number | null; limit: number },
    StoredRow
  >(`SELECT * FROM outcome_rules
     WHERE space = @space AND (@priority IS NULL OR (priority, seq) > (@priority, @seq))
     ORDER BY priority, seq LIMIT @limit + 1`).all(database, {
    space,
    priority: page.after?.priority ?? null,
    seq: page.after?.seq ?? null,
    limit: page.limit,
  });
  return rows.map(read);
}

export function countRules(database: Database, space: number): number {
  return scalarStatement<[number], number>('SELECT count(*) FROM outcome_rules WHERE space = ?').one(
    database,
    space,
  );
}

interface StoredRule {
  id: string;
  space: number;
  enabled: number;
  outcome: string;
  delay_ms: number | null;
  priority: number;
  match: string;
  signals: string | null;
  times: number | null;
  remaining: number | null;
  sealed_equals: Uint8Array | null;
}

export function insertRule(database: Database, row: Omit<RuleRow, 'seq'>): void {
  statement<StoredRule>(`INSERT INTO outcome_rules (id, space, priority, enabled, match, sealed_equals, outcome, delay_ms, signals, times,
       remaining)
     VALUES (@id, @space, @priority, @enabled, @match, @sealed_equals, @outcome, @delay_ms, @signals, @times,
       @remaining)`).run(database, stored(row));
}

export function updateRule(database: Database, row: Omit<RuleRow, 'seq'>): void {
  statement<StoredRule>(`UPDATE outcome_rules SET priority = @priority, enabled = @enabled, match = @match,
       sealed_equals = @sealed_equals, outcome = @outcome, delay_ms = @delay_ms, signals = @signals, times = @times,
       remaining = @remaining
     WHERE id = @id`).run(database, stored(row));
}

export function countDown(database: Database, id: string): void {
  statement<[string]>('UPDATE outcome_rules SET remaining = remaining - 1 WHERE id = ?').run(database, id);
}

/** Returns how many were deleted: 0 when the space has no rule of this id. */
export function deleteRule(database: Database, space: number, id: string): number {
  if (!findRule(database, space, id)) return 0;
  return statement<[string]>('DELETE FROM outcome_rules WHERE id = ?').run(database, id).changes;
}

/** In all tenants; returns how many there were. */
export function deleteAllRules(database: Database): number {
  return statement('DELETE FROM outcome_rules').run(database).changes;
}

function read(row: StoredRow): RuleRow {
  return {
    ...row,
    enabled: row.enabled === 1,
    match: JSON.parse(row.match) as StoredMatch,
    signals: row.signals === null ? null : (JSON.parse(row.signals) as SignalChanges),
  };
}

function stored(row: Omit<RuleRow, 'seq'>): Omit<StoredRow, 'seq'> {
  return {
    ...row,
    enabled: Number(row.enabled),
    match: JSON.stringify(row.match),
    signals: row.signals && JSON.stringify(row.signals),
  };
}
