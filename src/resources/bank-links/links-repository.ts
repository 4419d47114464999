/** The SQL of links and their refreshes. Times are epoch milliseconds. */
import { REFRESH_SECONDS } from '../../contract/bank-links.ts';
import type { LinkState, BankProduct, LinkError } from '../../contract/facts/banks.ts';
import { dayOf, startOfDay } from '../../kernel/civil-date.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { requireAbsent, type TableIndex } from '../../storage/confirmed-misses.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';
import type { StepBack } from '../clock/index.ts';

export type ProductTimes = {
  readonly [Product in BankProduct]?: {
    readonly refreshed_at: number | null;
    readonly last_attempted_at: number | null;
  };
};

export interface LinkRow {
  readonly seq: number;
  readonly id: string;
  /** Row id. */
  readonly space: number;
  /** Row id. */
  readonly entity: number;
  readonly external_id: string | null;
  readonly persona: string;
  /** The day on which it was created. */
  readonly anchor: number;
  readonly institution: string;
  readonly state: LinkState;
  readonly error_code: LinkError | null;
  readonly products: ProductTimes;
  readonly last_synced_at: number | null;
  /** The next time at which it has work due; null when there is none. */
  readonly due_at: number | null;
  readonly sealed_world: Uint8Array;
  readonly created_at: number;
}

/** A link with its entity. */
export interface PlacedLinkRow extends LinkRow {
  readonly fp_id: string;
}

type Stored<Row extends LinkRow> = Omit<Row, 'products'> & {
  readonly products: string;
  readonly seal: Uint8Array | null;
};

const SELECT = 'SELECT bank_links.*, fp_id FROM bank_links JOIN entities ON entities.id = bank_links.entity';

/** Not that of a deleted link whose transactions are not removed yet. */
const NEXT_ROW = `1 + max(coalesce((SELECT max(seq) FROM bank_links), 0),
  coalesce((SELECT max(parent) FROM debris WHERE of_table = 'bank_transactions'), 0))`;

/** Returns its row id. */
export function insertLink(database: Database, row: Omit<LinkRow, 'seq'>): number {
  const { lastInsertRowid } = statement<
    Omit<LinkRow, 'seq' | 'products'> & { products: string; seal: Uint8Array }
  >(`INSERT INTO bank_links (seq, id, space, entity, external_id, persona, anchor, institution, state, error_code,
       products, last_synced_at, due_at, sealed_world, created_at, seal)
     VALUES (${NEXT_ROW}, @id, @space, @entity, @external_id, @persona, @anchor, @institution, @state, @error_code,
       @products, @last_synced_at, @due_at, @sealed_world, @created_at, @seal)`).run(database, {
    ...row,
    products: JSON.stringify(row.products),
    seal: sealOf(database, 'bank_links', row),
  });
  return Number(lastInsertRowid);
}

/** The columns that change over time. */
export function updateLink(
  database: Database,
  row: Pick<
    LinkRow,
    'seq' | 'state' | 'error_code' | 'products' | 'last_synced_at' | 'due_at' | 'sealed_world'
  >,
): void {
  statement<{
    seq: number;
    state: string;
    error_code: string | null;
    products: string;
    last_synced_at: number | null;
    due_at: number | null;
    sealed_world: Uint8Array;
  }>(`UPDATE bank_links SET state = @state, error_code = @error_code, products = @products,
       last_synced_at = @last_synced_at, due_at = @due_at, sealed_world = @sealed_world
     WHERE seq = @seq`).run(database, {
    seq: row.seq,
    state: row.state,
    error_code: row.error_code,
    products: JSON.stringify(row.products),
    last_synced_at: row.last_synced_at,
    due_at: row.due_at,
    sealed_world: row.sealed_world,
  });
}

export function updateExternalId(database: Database, seq: number, externalId: string | null): void {
  statement<[string | null, number]>('UPDATE bank_links SET external_id = ? WHERE seq = ?').run(
    database,
    externalId,
    seq,
  );
}

export function findLink(database: Database, space: number, id: string): PlacedLinkRow | undefined {
  const row = statement<[string], Stored<PlacedLinkRow>>(`${SELECT} WHERE bank_links.id = ?`).get(
    database,
    id,
  );
  if (!row) requireAbsent(database, BY_ID, [id]);
  const link = row && read(database, row);
  return link?.space === space ? link : undefined;
}

const BY_ID: TableIndex = { table: 'bank_links', index: 'sqlite_autoindex_bank_links_1', columns: ['id'] };

export function findLinkByRow(database: Database, seq: number): PlacedLinkRow | undefined {
  const row = statement<[number], Stored<PlacedLinkRow>>(`${SELECT} WHERE seq = ?`).get(database, seq);
  return row && read(database, row);
}

export function isLinkId(database: Database, id: string): boolean {
  return (
    scalarStatement<[string], 1>('SELECT 1 FROM bank_links WHERE id = ?').get(database, id) !== undefined
  );
}

/** Newest first. */
export function listLinksOfEntity(database: Database, entity: number): PlacedLinkRow[] {
  return readAll(
    database,
    statement<[number], Stored<PlacedLinkRow>>(
      `${SELECT} WHERE entity = ? ORDER BY bank_links.created_at DESC, bank_links.id DESC`,
    ).all(database, entity),
  );
}

export interface LinkFilter {
  /** Row id. */
  readonly space: number;
  /** JSON list of ids; null for all. */
  readonly ids: string | null;
  /** The user or business; null for all. */
  readonly fp_id: string | null;
  /** Null for all states. */
  readonly state: LinkRow['state'] | null;
}

const MATCHES = `bank_links.space = @space
  AND (@ids IS NULL OR bank_links.id IN (SELECT value FROM json_each(@ids)))
  AND (@fp_id IS NULL OR bank_links.entity = (SELECT id FROM entities WHERE fp_id = @fp_id))
  AND (@state IS NULL OR bank_links.state = @state)`;

/** Newest first, ties by id descending; up to one more than `limit`, starting after the place `after`. */
export function listLinks(
  database: Database,
  filter: LinkFilter,
  page: { after: { created_at: number; id: string } | undefined; limit: number },
): PlacedLinkRow[] {
  return readAll(
    database,
    statement<
      LinkFilter & { after_at: number | null; after_id: string | null; limit: number },
      Stored<PlacedLinkRow>
    >(`${SELECT} WHERE ${MATCHES}
         AND (@after_at IS NULL OR (bank_links.created_at, bank_links.id) < (@after_at, @after_id))
       ORDER BY bank_links.created_at DESC, bank_links.id DESC LIMIT @limit + 1`).all(database, {
      ...filter,
      after_at: page.after?.created_at ?? null,
      after_id: page.after?.id ?? null,
      limit: page.limit,
    }),
  );
}

export function countLinks(database: Database, filter: LinkFilter): number {
  return scalarStatement<LinkFilter, number>(`SELECT count(*) FROM bank_links WHERE ${MATCHES}`).one(
    database,
    filter,
  );
}

export function countAllLinks(database: Database): number {
  return scalarStatement<[], number>('SELECT count(*) FROM bank_links').one(database);
}

/** Its transactions become debris. */
export function deleteLink(database: Database, seq: number): void {
  statement<[number]>('DELETE FROM bank_links WHERE seq = ?').run(database, seq);
}

/** The earliest time after `after` at which a link has work due. */
export function findNextDue(database: Database, after: number): number | undefined {
  return (
    scalarStatement<[number], number | null>('SELECT min(due_at) FROM bank_links WHERE due_at > ?').one(
      database,
      after,
    ) ?? undefined
  );
}

/** Brings refreshes forward by a step of the clock back, and nightly work to the first midnight after it. */
export function bringLinksBack(database: Database, { from, to }: StepBack): void {
  const back = from - to;
  const midnight = startOfDay(dayOf(to) + 1);
  statement<{ back: number; to: number; longest: number }>(
    'UPDATE bank_refreshes SET due_at = max(@to, due_at - @back) WHERE due_at - @longest > @to',
  ).run(database, { back, to, longest: REFRESH_SECONDS * SECOND_MS });
  statement<{ midnight: number }>(
    `UPDATE bank_links SET due_at = min(@midnight, coalesce(
       (SELECT min(due_at) FROM bank_refreshes WHERE link = bank_links.seq), @midnight))
     WHERE due_at > @midnight`,
  ).run(database, { midnight });
}

/** Row ids of links due after `after` and by `until`, in due order. */
export function listDue(database: Database, { after, until }: { after: number; until: number }): number[] {
  return scalarStatement<{ after: number; until: number }, number>(
    'SELECT seq FROM bank_links WHERE due_at > @after AND due_at <= @until ORDER BY due_at, seq',
  ).all(database, { after, until });
}

export interface RefreshRow {
  readonly products: readonly BankProduct[];
  readonly due_at: number;
}

export function insertRefresh(database: Database, link: number, refresh: RefreshRow): void {
  statement<[number, string, number]>(
    'INSERT INTO bank_refreshes (link, products, due_at) VALUES (?, ?, ?)',
  ).run(database, link, JSON.stringify(refresh.products), refresh.due_at);
}

/** Removes and returns the refreshes due by `until`, in order. */
export function takeDueRefreshes(database: Database, link: number, until: number): RefreshRow[] {
  const rows = statement<[number, number], { seq: number; products: string; due_at: number }>(
    'DELETE FROM bank_refreshes WHERE link = ? AND due_at <= ? RETURNING seq, products, due_at',
  ).all(database, link, until);
  return rows
    .sort((one, other) => one.due_at - other.due_at || one.seq - other.seq)
    .map(({ products, due_at }) => ({ products: JSON.parse(products) as BankProduct[], due_at }));
}

/** The time of a link's next refresh. */
export function findNextRefresh(database: Database, link: number): number | undefined {
  return (
    scalarStatement<[number], number | null>('SELECT min(due_at) FROM bank_refreshes WHERE link = ?').one(
      database,
      link,
    ) ?? undefined
  );
}

export function countRefreshes(database: Database): number {
  return scalarStatement<[], number>('SELECT count(*) FROM bank_refreshes').one(database);
}

/** Throws `vault_damaged` when another program has moved the link to another entity or tenant. */
function read(database: Database, { seal, products, ...row }: Stored<PlacedLinkRow>): PlacedLinkRow {
  requireSeal(database, 'bank_links', row, seal);
  return { ...row, products: JSON.parse(products) as ProductTimes };
}

function readAll(database: Database, rows: readonly Stored<PlacedLinkRow>[]): PlacedLinkRow[] {
  return rows.map((row) => read(database, row));
}
