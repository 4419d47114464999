/** The SQL of idempotency ids and the entities created with them (contract §2.1). */
import type { Database } from '../../storage/database.ts';
import { requireIntactAround, type OwnKey } from '../../storage/confirmed-misses.ts';
import { integer, table, text } from '../../storage/table.ts';

const IDEMPOTENCY_IDS = table('idempotency_ids', {
  space: integer,
  idempotency_id: text,
  kind: text,
  fp_id: text,
});

const BY_IDEMPOTENCY_ID: OwnKey = {
  table: 'idempotency_ids',
  columns: ['space', 'idempotency_id'],
  twin: { index: 'idempotency_ids_by_entity', columns: ['fp_id'] },
};

export const findIdempotencyId =
  IDEMPOTENCY_IDS.find<[space: number, idempotency_id: string]>(BY_IDEMPOTENCY_ID);
export const insertIdempotencyId = IDEMPOTENCY_IDS.insert;

/** Throws `vault_damaged` unless the record of the idempotency id is intact. */
export function requireIntactIdempotencyId(database: Database, space: number, idempotencyId: string): void {
  requireIntactAround(database, BY_IDEMPOTENCY_ID, [space, idempotencyId]);
}
