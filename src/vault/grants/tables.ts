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
  /** The column that names a row in an error message: an id, never a value. */
  readonly id: string;
  readonly key: 'rowid' | 'digest';
  /** Everything that determines what the row grants, and to whom. */
  readonly columns: readonly string[];
  /** Earlier generations sealed only the first few of the columns; if this is undefined, they sealed all. */
  readonly before?: { readonly generation: SealGeneration; readonly columns: number };
  /** The rows to seal at the upgrade. */
  readonly from: string;
  /** Whether the set of its rows is sealed as well, so that rows can't be restored or removed. */
  readonly isListed: boolean;
}

const IN_SPACE = (table: string) => `${table} JOIN spaces ON spaces.id = ${table}.space`;

/**
 * The order of the columns is part of every seal: append, in a new generation that seals the rows again, or don't
 * change it.
 */
export const GRANTS = {
  api_keys: {
    since: 1,
    id: 'id',
    key: 'rowid',
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
    from: IN_SPACE('api_keys'),
    isListed: true,
  },
  webhooks: {
    since: 1,
    id: 'id',
    key: 'rowid',
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
    from: 'webhooks',
    isListed: true,
  },
  proxy_configurations: {
    // The table is newer than these seals, so no store has unsealed rows of it.
    since: 1,
    id: 'id',
    key: 'rowid',
    columns: ['id', 'space', 'origin', 'sealed_configuration', 'enabled', 'created_at'],
    from: 'proxy_configurations',
    isListed: true,
  },
  client_tokens: {
    since: 1,
    id: 'id',
    key: 'rowid',
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
    from: 'client_tokens',
    isListed: false,
  },
  entities: {
    since: 1,
    id: 'fp_id',
    key: 'rowid',
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
    from: IN_SPACE('entities'),
    isListed: false,
  },
  onboarding_sessions: {
    since: 2,
    id: 'id',
    key: 'rowid',
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
    from: IN_SPACE('onboarding_sessions'),
    isListed: false,
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
    from: 'bank_link_intents',
    isListed: false,
  },
  bank_links: {
    since: 2,
    id: 'id',
    key: 'rowid',
    // Who may read it, and the entity whose key opens it.
    columns: ['id', 'space', 'entity', 'created_at'],
    from: 'bank_links',
    isListed: false,
  },
  onboardings: {
    since: 2,
    id: 'id',
    key: 'rowid',
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
    from: 'onboardings',
    isListed: false,
  },
  decisions: {
    since: 2,
    id: 'seq',
    key: 'rowid',
    columns: ['seq', 'entity', 'kind', 'status', 'playbook_key', 'created_at'],
    from: 'decisions',
    isListed: false,
  },
  hit_reviews: {
    // The table is newer than these seals, like the next one.
    since: 2,
    id: 'seq',
    key: 'rowid',
    columns: ['seq', 'entity', 'onboarding', 'reason_code', 'decision', 'created_at'],
    from: 'hit_reviews',
    isListed: false,
  },
  notes: {
    since: 2,
    id: 'id',
    key: 'rowid',
    columns: ['seq', 'id', 'entity', 'created_at'],
    from: 'notes',
    isListed: false,
  },
  info_requests: {
    since: 2,
    id: 'entity',
    key: 'rowid',
    columns: ['entity', 'created_at'],
    from: 'info_requests',
    isListed: false,
  },
  claims: {
    since: 2,
    id: 'entity',
    key: 'rowid',
    columns: ['entity', 'created_at', 'until'],
    from: 'claims',
    isListed: false,
  },
} as const satisfies Readonly<Record<string, Grant>>;

export type GrantTable = keyof typeof GRANTS;
export type GrantRow<Table extends GrantTable> = Readonly<
  Record<(typeof GRANTS)[Table]['columns'][number], Value>
>;
export const GRANT_TABLES = Object.keys(GRANTS) as GrantTable[];

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
  const { columns, from } = GRANTS[table];
  const key = keyOf(table);
  const chosen = columns.map((column) => (column in PLACE ? column : `${table}.${column}`)).join(', ');
  return statement<[number | Uint8Array, number], StoredRow<Table>>(
    `SELECT ${key} AS row, ${table}.seal, ${chosen} FROM ${from} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
  ).all(database, after, limit);
}

/** Columns of `spaces`. */
const PLACE = { tenant: true, environment: true };

function keyOf(table: GrantTable): string {
  return `${table}.${GRANTS[table].key}`;
}

export function updateSeal(
  database: Database,
  table: GrantTable,
  row: number | Uint8Array,
  seal: Uint8Array,
): void {
  statement<[Uint8Array, number | Uint8Array]>(
    `UPDATE ${table} SET seal = ? WHERE ${GRANTS[table].key} = ?`,
  ).run(database, seal, row);
}

/** The members of the grant list, in a fixed order. */
export function listSeals(database: Database): { table: string; id: string; seal: Uint8Array | null }[] {
  const parts = GRANT_TABLES.filter((table) => GRANTS[table].isListed).map(
    (table) => `SELECT '${table}' AS "table", id, seal FROM ${table}`,
  );
  return statement<[], { table: string; id: string; seal: Uint8Array | null }>(
    `${parts.join(' UNION ALL ')} ORDER BY 1, 2`,
  ).all(database);
}
