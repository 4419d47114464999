/** The rows that grant access or that applications rely on: the columns that are sealed, and the SQL for the seals. */
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';

/**
 * Which tables of a store have seals: none (0); those that grant access (1); also those of sessions, links and results
 * (2); these with the subject of a session covered by its seal (3); and the same with tombstones that are added up as
 * numbers (4).
 */
export type SealGeneration = 0 | 1 | 2 | 3 | 4;
export const NEWEST_SEALS = 4;

type Value = string | number | null | Uint8Array;

export interface Grant {
  /** The first generation in which its rows have seals. */
  readonly since: 1 | 2;
  /** The column that names a row in an error message, by default `id`: never a value. */
  readonly id?: string;
  /** By default `rowid`. */
  readonly key?: 'digest';
  /** Everything that determines what the row grants, and to whom. */
  readonly columns: readonly string[];
  /** Earlier generations sealed only the first few of the columns; if this is undefined, they sealed all. */
  readonly before?: { readonly generation: SealGeneration; readonly columns: number };
  /** Whether the set of its rows is sealed as well, so that rows can't be restored or removed. */
  readonly isListed?: true;
}

/**
 * The order of the columns is part of every seal: append, in a new generation that seals the rows again, or don't
 * change it.
 */
export const GRANTS = {
  api_keys: {
    since: 1,
    columns: [
      'id',
      'space',
      'tenant',
      'environment',
      'prefix',
      'digest',
      'scopes',
      'permissions',
      'enabled',
      'created_at',
    ],
    isListed: true,
  },
  webhooks: {
    since: 1,
    columns: [
      'id',
      'space',
      'url',
      'kinds',
      'sealed_secret',
      'sealed_old_secret',
      'old_until',
      'enabled',
      'created_at',
    ],
    isListed: true,
  },
  proxy_configurations: {
    // The table is newer than these seals, so no store has unsealed rows of it.
    since: 1,
    columns: ['id', 'space', 'origin', 'sealed_configuration', 'enabled', 'created_at'],
    isListed: true,
  },
  client_tokens: {
    since: 1,
    columns: [
      'id',
      'entity',
      'api_key',
      'digest',
      'scope',
      'fields',
      'decrypt_reason',
      'created_at',
      'expires_at',
      'revoked_at',
      'has_expired',
    ],
  },
  entities: {
    since: 1,
    id: 'fp_id',
    columns: [
      'id',
      'fp_id',
      'space',
      'tenant',
      'environment',
      'kind',
      'external_id',
      'sandbox_id',
      'created_at',
      'status',
      'requires_manual_review',
    ],
    before: { generation: 2, columns: 9 },
  },
  onboarding_sessions: {
    since: 2,
    // Without its request, which is authenticated by itself, and without columns that are cleared with its entity.
    columns: [
      'id',
      'space',
      'tenant',
      'environment',
      'digest',
      'created_at',
      'expires_at',
      'has_expired',
      'completed_at',
      'validation_digest',
      'validation_expires_at',
      'outcome',
      'session_id',
      'playbook_key',
      'fp_id',
      'fp_bid',
      'canceled_at',
    ],
    before: { generation: 3, columns: 12 },
  },
  bank_link_intents: {
    since: 2,
    id: 'digest',
    key: 'digest',
    columns: [
      'digest',
      'entity',
      'link',
      'persona',
      'institution',
      'created_at',
      'expires_at',
      'has_expired',
      'used_at',
    ],
  },
  bank_links: {
    since: 2,
    // Who may read it, and the entity whose key opens it.
    columns: ['id', 'space', 'entity', 'created_at'],
  },
  onboardings: {
    since: 2,
    columns: [
      'id',
      'space',
      'fp_id',
      'playbook_key',
      'playbook_kind',
      'playbook_version',
      'status',
      'requires_manual_review',
      'next_outcome',
      'is_owner_run',
      'due_at',
      'created_at',
      'changed_at',
      'completed_at',
    ],
  },
  decisions: {
    since: 2,
    id: 'seq',
    columns: ['seq', 'entity', 'kind', 'status', 'playbook_key', 'created_at'],
  },
  hit_reviews: {
    // The table is newer than these seals, like the next one.
    since: 2,
    id: 'seq',
    columns: ['seq', 'entity', 'onboarding', 'reason_code', 'decision', 'created_at'],
  },
  notes: { since: 2, columns: ['seq', 'id', 'entity', 'created_at'] },
  info_requests: { since: 2, id: 'entity', columns: ['entity', 'created_at'] },
  claims: { since: 2, id: 'entity', columns: ['entity', 'created_at', 'until'] },
} as const satisfies Readonly<Record<string, Grant>>;

export type GrantTable = keyof typeof GRANTS;
export type GrantRow<Table extends GrantTable> = Readonly<
  Record<(typeof GRANTS)[Table]['columns'][number], Value>
>;
export const GRANT_TABLES = Object.keys(GRANTS) as GrantTable[];
export const grantOf = (table: GrantTable): Grant => GRANTS[table];
/** The column by which its rows are ordered and updated. */
export const keyOf = (table: GrantTable) => grantOf(table).key ?? 'rowid';

// The SQL for seals and for the sealed rows of any table.

type StoredRow<Table extends GrantTable> = GrantRow<Table> & {
  readonly row: number | Uint8Array;
  readonly seal: Uint8Array | null;
};

/** Rows after the one with the key `after`, in key order. */
export function listRows<Table extends GrantTable>(
  database: Database,
  table: Table,
  { after, limit }: { after: number | Uint8Array; limit: number },
): StoredRow<Table>[] {
  const { columns } = grantOf(table);
  const key = `${table}.${keyOf(table)}`;
  const isInSpace = (column: string) => column === 'tenant' || column === 'environment';
  const chosen = columns.map((column) => (isInSpace(column) ? column : `${table}.${column}`)).join(', ');
  const from = columns.some(isInSpace) ? `${table} JOIN spaces ON spaces.id = ${table}.space` : table;
  return statement<[number | Uint8Array, number], StoredRow<Table>>(
    `SELECT ${key} AS row, ${table}.seal, ${chosen} FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
  ).all(database, after, limit);
}

export function updateSeal(
  database: Database,
  table: GrantTable,
  row: number | Uint8Array,
  seal: Uint8Array,
): void {
  statement<[Uint8Array, number | Uint8Array]>(`UPDATE ${table} SET seal = ? WHERE ${keyOf(table)} = ?`).run(
    database,
    seal,
    row,
  );
}

/** The members of the grant list, in a fixed order. */
export function listSeals(database: Database): { table: string; id: string; seal: Uint8Array | null }[] {
  const parts = GRANT_TABLES.filter((table) => grantOf(table).isListed).map(
    (table) => `SELECT '${table}' AS "table", id, seal FROM ${table}`,
  );
  return statement<[], { table: string; id: string; seal: Uint8Array | null }>(
    `${parts.join(' UNION ALL ')} ORDER BY 1, 2`,
  ).all(database);
}
