/** All SQL of decisions. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { DECISION_KINDS } from '../../contract/facts/onboardings.ts';
import type { DecisionStatus } from '../../contract/decisions.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';

export interface DecisionRow {
  /** Increases with each decision. */
  readonly seq: number;
  readonly entity: number;
  readonly kind: (typeof DECISION_KINDS)[number];
  readonly status: DecisionStatus;
  readonly playbook_key: string | null;
  /** Annotation and reviewer of a manual decision. */
  readonly sealed_note: Uint8Array | null;
  readonly created_at: number;
  readonly seal: Uint8Array | null;
}

/** Returns its `seq`. */
export function insertDecision(
  database: Database,
  row: Omit<DecisionRow, 'seq' | 'sealed_note' | 'seal'>,
): number {
  // Chosen here as SQLite would, since the seal covers it.
  const seq = scalarStatement<[], number>('SELECT coalesce(max(seq), 0) + 1 FROM decisions').one(database);
  statement<{
    seq: number;
    seal: Uint8Array;
    created_at: number;
    entity: number;
    kind: string;
    status: string;
    playbook_key: string | null;
  }>(`INSERT INTO decisions (seq, entity, kind, status, playbook_key, created_at, seal)
     VALUES (@seq, @entity, @kind, @status, @playbook_key, @created_at, @seal)`).run(database, {
    ...row,
    seq,
    seal: sealOf(database, 'decisions', { ...row, seq }),
  });
  return seq;
}

/** Throws `vault_damaged` when another program has changed it. */
function judged(database: Database, row: DecisionRow): DecisionRow {
  requireSeal(database, 'decisions', row, row.seal);
  return row;
}

export function updateNote(database: Database, row: { seq: number; sealed_note: Uint8Array }): void {
  statement<[Uint8Array, number]>('UPDATE decisions SET sealed_note = ? WHERE seq = ?').run(
    database,
    row.sealed_note,
    row.seq,
  );
}

/** The decision made last, whatever the clock said. */
export function findLatestDecision(database: Database, entity: number): DecisionRow | undefined {
  const sql = 'SELECT * FROM decisions WHERE entity = ? ORDER BY seq DESC LIMIT 1';
  const row = statement<[number], DecisionRow>(sql).get(database, entity);
  return row && judged(database, row);
}

const OF_ENTITY = 'SELECT * FROM decisions WHERE entity = ? ORDER BY created_at DESC, seq DESC';

/** Newest first; at the same time, the one made last first. */
export function listAllDecisions(database: Database, entity: number): DecisionRow[] {
  const rows = statement<[number], DecisionRow>(OF_ENTITY).all(database, entity);
  return rows.map((row) => judged(database, row));
}

/** The same, up to one more than `size`. */
export function listDecisions(
  database: Database,
  entity: number,
  page: { offset: number; size: number },
): DecisionRow[] {
  const sql = `${OF_ENTITY} LIMIT ? + 1 OFFSET ?`;
  const rows = statement<[number, number, number], DecisionRow>(sql).all(
    database,
    entity,
    page.size,
    page.offset,
  );
  return rows.map((row) => judged(database, row));
}
