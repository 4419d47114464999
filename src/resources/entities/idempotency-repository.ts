/** The SQL of idempotency ids and the entities created with them (contract §2.1). */
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import { requireAbsent, requireIntactAround, type OwnKey } from '../../storage/confirmed-misses.ts';

const BY_IDEMPOTENCY_ID: OwnKey = {
  table: 'idempotency_ids',
  columns: ['space', 'idempotency_id'],
  twin: { index: 'idempotency_ids_by_entity', columns: ['fp_id'] },
};

export function findIdempotencyId(
  database: Database,
  space: number,
  idempotencyId: string,
): { kind: string; fp_id: string } | undefined {
  const row = statement<[number, string], { kind: string; fp_id: string }>(
    'SELECT kind, fp_id FROM idempotency_ids WHERE space = ? AND idempotency_id = ?',
  ).get(database, space, idempotencyId);
  if (!row) requireAbsent(database, BY_IDEMPOTENCY_ID, [space, idempotencyId]);
  return row;
}

/** Throws `vault_damaged` unless the record of the idempotency id is intact. */
export function requireIntactIdempotencyId(database: Database, space: number, idempotencyId: string): void {
  requireIntactAround(database, BY_IDEMPOTENCY_ID, [space, idempotencyId]);
}

export function insertIdempotencyId(
  database: Database,
  row: { space: number; idempotency_id: string; kind: string; fp_id: string },
): void {
  statement<[number, string, string, string]>(
    'INSERT INTO idempotency_ids (space, idempotency_id, kind, fp_id) VALUES (?, ?, ?, ?)',
  ).run(database, row.space, row.idempotency_id, row.kind, row.fp_id);
}
