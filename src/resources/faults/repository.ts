/** All SQL of fault rules. */
import type { RequestOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import { assigned, boolean, initially, integer, json, table, text, type RowOf } from '../../storage/table.ts';

/** A rule as given by its creator. */
export type GivenRule = RequestOf<'POST /_kyclone/faults'>['body'];

const FAULTS = table(
  'fault_rules',
  {
    /** Orders rules by age, oldest first. */
    seq: assigned,
    id: text,
    rule: json<GivenRule>(),
    hits: initially(0, integer),
    /** The number of draws so far, and the number of the next draw. */
    draws: initially(0, integer),
    enabled: initially(true, boolean),
    created_at: integer,
  },
  { key: ['seq'] },
);

export type FaultRow = Omit<RowOf<typeof FAULTS>, 'created_at'>;
export type Counters = Pick<FaultRow, 'hits' | 'draws' | 'enabled'>;

/** All of them, oldest first. */
export const listFaults = FAULTS.all('ORDER BY seq');
export const isFaultId = FAULTS.has<[id: string]>('id = ?');

/** Returns the rule's place in the order. */
export const insertFault = FAULTS.insert;

export function updateCounters(database: Database, seq: number, { hits, draws, enabled }: Counters): void {
  FAULTS.set(database, { seq }, { hits, draws, enabled });
}

/** Returns how many were deleted. */
export const deleteFault = FAULTS.delete<[id: string]>('id = ?');
/** Returns how many were deleted. */
export const deleteAllFaults = FAULTS.delete();
