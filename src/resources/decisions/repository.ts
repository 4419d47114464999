/** All SQL of decisions. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { DecisionStatus } from '../../contract/decisions.ts';
import { statement, type Database } from '../../storage/database.ts';

export interface DecisionRow {
  /** Ascends with the age of decisions. */
  readonly seq: number;
  readonly entity: number;
  readonly kind: 'manual' | 'playbook_run';
  readonly status: DecisionStatus;
  readonly playbook_key: string | null;
  /** Annotation and reviewer of a manual one. */
  readonly sealed_note: Uint8Array | null;
  readonly created_at: number;
}

/** Answers its `seq`. */
export function insertDecision(database: Database, row: Omit<DecisionRow, 'seq' | 'sealed_note'>): number {
  const { lastInsertRowid } = statement(
    database,
    `INSERT INTO decisions (entity, kind, status, playbook_key, created_at)
     VALUES (@entity, @kind, @status, @playbook_key, @created_at)`,
  ).run(row);
  return Number(lastInsertRowid);
}

export function updateNote(database: Database, row: { seq: number; sealed_note: Uint8Array }): void {
  statement(database, 'UPDATE decisions SET sealed_note = ? WHERE seq = ?').run(row.sealed_note, row.seq);
}

/** The one that was made last, whatever the clock said. */
export function findLatestDecision(database: Database, entity: number): DecisionRow | undefined {
  const sql = 'SELECT * FROM decisions WHERE entity = ? ORDER BY seq DESC LIMIT 1';
  return statement(database, sql).get(entity) as DecisionRow | undefined;
}

const OF_ENTITY = 'SELECT * FROM decisions WHERE entity = ? ORDER BY created_at DESC, seq DESC';

/** Newest first; of one moment, the one made last. */
export function listAllDecisions(database: Database, entity: number): DecisionRow[] {
  return statement(database, OF_ENTITY).all(entity) as DecisionRow[];
}

/** The same, one more than `size`. */
export function listDecisions(
  database: Database,
  entity: number,
  page: { offset: number; size: number },
): DecisionRow[] {
  const sql = `${OF_ENTITY} LIMIT ? + 1 OFFSET ?`;
  return statement(database, sql).all(entity, page.size, page.offset) as DecisionRow[];
}
