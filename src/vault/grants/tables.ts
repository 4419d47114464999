/** Which rows grant something, and by which of their columns. */

type Value = string | number | null | Uint8Array;

interface Grant {
  /** The column that names a row in an error: an id, never a value. */
  readonly id: string;
  /** Everything that decides what the row grants, and to whom. */
  readonly columns: readonly string[];
  /** For the rows that were there before seals were. */
  readonly from: string;
  /** Whether the set of its rows is sealed as well: none can be put back or taken away. */
  readonly isListed: boolean;
}

const IN_SPACE = (table: string) => `${table} JOIN spaces ON spaces.id = ${table}.space`;

/** The order of the columns is part of every seal: append, and seal the rows anew, or leave it. */
export const GRANTS = {
  api_keys: {
    id: 'id',
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
    id: 'id',
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
  client_tokens: {
    id: 'id',
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
    ],
    from: IN_SPACE('entities'),
    isListed: false,
  },
} as const satisfies Readonly<Record<string, Grant>>;

export type GrantTable = keyof typeof GRANTS;
export type GrantRow<Table extends GrantTable> = Readonly<
  Record<(typeof GRANTS)[Table]['columns'][number], Value>
>;
export const GRANT_TABLES = Object.keys(GRANTS) as GrantTable[];
