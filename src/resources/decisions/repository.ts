/** All SQL of decisions. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { DECISION_KINDS } from '../../contract/facts/onboardings.ts';
import type { DecisionStatus } from '../../contract/decisions.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, initially, integer, optional, table, text, textOf, type RowOf } from '../../storage/table.ts';
import { rowSeal } from '../../vault/grants/index.ts';

const DECISIONS = table(
  'decisions',
  {
    /** Increases with each decision. */
    seq: integer,
    entity: integer,
    kind: textOf<(typeof DECISION_KINDS)[number]>(),
    status: textOf<DecisionStatus>(),
    playbook_key: optional(text),
    /** Annotation and reviewer of a manual decision. */
    sealed_note: initially(null, optional(bytes)),
    created_at: integer,
  },
  { key: ['seq'], seal: rowSeal('decisions') },
);

/** Reads throw `vault_damaged` when another program has changed the row. */
export type DecisionRow = RowOf<typeof DECISIONS>;

/** Returns its `seq`. */
export function insertDecision(
  database: Database,
  row: Omit<DecisionRow, 'seq' | 'sealed_note' | 'seal'>,
): number {
  return DECISIONS.insert(database, { ...row, seq: DECISIONS.next(database, 'seq') });
}

export function updateNote(
  database: Database,
  { seq, sealed_note }: { seq: number; sealed_note: Uint8Array },
): void {
  DECISIONS.set(database, { seq }, { sealed_note });
}

/** The decision made last, whatever the clock said. */
export const findLatestDecision = DECISIONS.first<[entity: number]>(
  'WHERE entity = ? ORDER BY seq DESC LIMIT 1',
);

const OF_ENTITY = 'WHERE entity = ? ORDER BY created_at DESC, seq DESC';

/** Newest first; at the same time, the one made last first. */
export const listAllDecisions = DECISIONS.all<[entity: number]>(OF_ENTITY);

/** The same, up to one more than `size`. */
export const listDecisions = DECISIONS.offsetPage(OF_ENTITY);
