/** The data that a reset keeps and counts, when it creates a new store instead of emptying the current one. */
import { numberPragma } from '../../storage/binding.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';

/** Tables that no reset empties, ordered so that each row follows the rows that it references. */
const KEPT_TABLES = [
  'keyring_slots',
  'root_keys',
  'instance_keys',
  'instance_values',
  'tombstones',
  'spaces',
  'api_keys',
  'playbooks',
  'webhooks',
  'proxy_configurations',
];

/** Copies the rows that a reset keeps from `from` to an empty store, in a transaction of its own. */
export function copyKept(from: Database, to: Database): void {
  to.transaction(() => {
    for (const table of KEPT_TABLES) copyTable(table, from, to);
  })();
}

function copyTable(table: string, from: Database, to: Database): void {
  const rows = tupleStatement<[], readonly (string | number | Uint8Array | null)[]>(
    `SELECT * FROM ${table}`,
  ).all(from);
  const [first] = rows;
  if (!first) return;
  const insert = statement<readonly (string | number | Uint8Array | null)[]>(
    `INSERT INTO ${table} VALUES (${first.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(to, ...row);
}

const COUNTED_TABLES = {
  onboardings: 'onboardings',
  sessions: 'onboarding_sessions',
  outcome_rules: 'outcome_rules',
  bank_links: 'bank_links',
  faults: 'fault_rules',
  events: 'events',
  deliveries: 'deliveries',
} as const;

/** The number of rows that a reset deletes, by the names in its response. */
export function countDeleted(database: Database): Record<keyof typeof COUNTED_TABLES, number> {
  const counts = Object.entries(COUNTED_TABLES).map(([name, table]) => [
    name,
    scalarStatement<[], number>(`SELECT count(*) FROM ${table}`).one(database),
  ]);
  return Object.fromEntries(counts) as Record<keyof typeof COUNTED_TABLES, number>;
}

/** The number of used pages. */
export function countUsedPages(database: Database): number {
  return numberPragma(database, 'page_count') - numberPragma(database, 'freelist_count');
}
