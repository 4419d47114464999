/** What a reset keeps and counts, for one that begins another store in place of emptying the one that is there. */
import { numberPragma } from '../../storage/binding.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement, tupleStatement } from '../../storage/statement.ts';

/** What no reset deletes, in an order in which each row comes after those that it names. */
const KEPT_TABLES = [
  ...['keyring_slots', 'root_keys', 'instance_keys', 'instance_values', 'tombstones'],
  ...['spaces', 'api_keys', 'playbooks', 'webhooks', 'proxy_configurations'],
];

/** In a transaction of its own: the rows of `from` that a reset keeps, in a store that holds nothing. */
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

/** How many rows a reset deletes, by the names of its answer. */
export function countDeleted(database: Database): Record<keyof typeof COUNTED_TABLES, number> {
  const counts = Object.entries(COUNTED_TABLES).map(([name, table]) => [
    name,
    scalarStatement<[], number>(`SELECT count(*) FROM ${table}`).one(database),
  ]);
  return Object.fromEntries(counts) as Record<keyof typeof COUNTED_TABLES, number>;
}

/** Pages that hold something. */
export function countUsedPages(database: Database): number {
  return numberPragma(database, 'page_count') - numberPragma(database, 'freelist_count');
}
