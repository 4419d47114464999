/** All SQL of fault rules. */
import type { RequestOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

/** A rule as given by its creator. */
export type GivenRule = RequestOf<'POST /_kyclone/faults'>['body'];

export interface Counters {
  readonly hits: number;
  /** The number of draws so far, and the number of the next draw. */
  readonly draws: number;
  readonly enabled: boolean;
}

export interface FaultRow extends Counters {
  /** Orders rules by age, oldest first. */
  readonly seq: number;
  readonly id: string;
  readonly rule: GivenRule;
}

interface StoredRow {
  readonly seq: number;
  readonly id: string;
  readonly rule: string;
  readonly hits: number;
  readonly draws: number;
  readonly enabled: number;
}

/** All of them, oldest first. */
export function listFaults(database: Database): FaultRow[] {
  const rows = statement<[], StoredRow>('SELECT * FROM fault_rules ORDER BY seq').all(database);
  return rows.map((row) => ({
    ...row,
    rule: JSON.parse(row.rule) as GivenRule,
    enabled: row.enabled === 1,
  }));
}

export function isFaultId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM fault_rules WHERE id = ?').get(database, id) !== undefined
  );
}

/** Returns the rule's place in the order. */
export function insertFault(
  database: Database,
  fault: { readonly id: string; readonly rule: GivenRule; readonly createdAt: number },
): number {
  const { lastInsertRowid } = statement<[string, string, number]>(
    'INSERT INTO fault_rules (id, rule, created_at) VALUES (?, ?, ?)',
  ).run(database, fault.id, JSON.stringify(fault.rule), fault.createdAt);
  return Number(lastInsertRowid);
}

export function updateCounters(database: Database, seq: number, { hits, draws, enabled }: Counters): void {
  statement<[number, number, number, number]>(
    'UPDATE fault_rules SET hits = ?, draws = ?, enabled = ? WHERE seq = ?',
  ).run(database, hits, draws, Number(enabled), seq);
}

/** Returns how many were deleted. */
export function deleteFault(database: Database, id: string): number {
  return statement<[string]>('DELETE FROM fault_rules WHERE id = ?').run(database, id).changes;
}

/** Returns how many were deleted. */
export function deleteAllFaults(database: Database): number {
  return statement('DELETE FROM fault_rules').run(database).changes;
}
