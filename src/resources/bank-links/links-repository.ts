/** All SQL of links, the intents that make them and their refreshes. Times are epoch milliseconds. */
import type { BankProduct, LinkError } from '../../contract/bank-records.ts';
import { requireAbsent, type OwnKey, type TableIndex } from '../../storage/confirmed-misses.ts';
import { statement, type Database } from '../../storage/database.ts';
import { requireSeal, sealOf } from '../../vault/grants/index.ts';

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
  /** The day on which it was made. */
  readonly anchor: number;
  readonly institution: string;
  readonly state: 'connected' | 'error';
  readonly error_code: LinkError | null;
  readonly products: ProductTimes;
  readonly last_synced_at: number | null;
  /** When there is something to do for it next; null when there is nothing. */
  readonly due_at: number | null;
  readonly sealed_world: Uint8Array;
  readonly created_at: number;
}

/** A link with whose it is. */
export interface PlacedLinkRow extends LinkRow {
  readonly fp_id: string;
}

type Stored<Row extends LinkRow> = Omit<Row, 'products'> & {
  readonly products: string;
  readonly seal: Uint8Array | null;
};

const SELECT = 'SELECT bank_links.*, fp_id FROM bank_links JOIN entities ON entities.id = bank_links.entity';

/** Returns its row id. */
export function insertLink(database: Database, row: Omit<LinkRow, 'seq'>): number {
  const { lastInsertRowid } = statement(
    database,
    `INSERT INTO bank_links (id, space, entity, external_id, persona, anchor, institution, state, error_code,
       products, last_synced_at, due_at, sealed_world, created_at, seal)
     VALUES (@id, @space, @entity, @external_id, @persona, @anchor, @institution, @state, @error_code,
       @products, @last_synced_at, @due_at, @sealed_world, @created_at, @seal)`,
  ).run({ ...row, products: JSON.stringify(row.products), seal: sealOf(database, 'bank_links', row) });
  return Number(lastInsertRowid);
}

/** What changes in the life of a link. */
export function updateLink(
  database: Database,
  row: Pick<
    LinkRow,
    'seq' | 'state' | 'error_code' | 'products' | 'last_synced_at' | 'due_at' | 'sealed_world'
  >,
): void {
  statement(
    database,
    `UPDATE bank_links SET state = @state, error_code = @error_code, products = @products,
       last_synced_at = @last_synced_at, due_at = @due_at, sealed_world = @sealed_world
     WHERE seq = @seq`,
  ).run({
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
  statement(database, 'UPDATE bank_links SET external_id = ? WHERE seq = ?').run(externalId, seq);
}

export function findLink(database: Database, space: number, id: string): PlacedLinkRow | undefined {
  const row = read(database, statement(database, `${SELECT} WHERE bank_links.id = ?`).get(id));
  if (!row) requireAbsent(database, BY_ID, [id]);
  return row?.space === space ? row : undefined;
}

const BY_ID: TableIndex = { table: 'bank_links', index: 'sqlite_autoindex_bank_links_1', columns: ['id'] };

export function findLinkByRow(database: Database, seq: number): PlacedLinkRow | undefined {
  return read(database, statement(database, `${SELECT} WHERE seq = ?`).get(seq));
}

export function isLinkId(database: Database, id: string): boolean {
  return statement(database, 'SELECT 1 FROM bank_links WHERE id = ?').get(id) !== undefined;
}

/** Newest first. */
export function listLinksOfEntity(database: Database, entity: number): PlacedLinkRow[] {
  return readAll(
    database,
    statement(
      database,
      `${SELECT} WHERE entity = ? ORDER BY bank_links.created_at DESC, bank_links.id DESC`,
    ).all(entity),
  );
}

export interface LinkFilter {
  /** Row id. */
  readonly space: number;
  /** JSON list of ids; null: all. */
  readonly ids: string | null;
  /** Of this user or business; null: of all. */
  readonly fp_id: string | null;
  /** Null: of each. */
  readonly state: LinkRow['state'] | null;
}

const MATCHES = `bank_links.space = @space
  AND (@ids IS NULL OR bank_links.id IN (SELECT value FROM json_each(@ids)))
  AND (@fp_id IS NULL OR bank_links.entity = (SELECT id FROM entities WHERE fp_id = @fp_id))
  AND (@state IS NULL OR bank_links.state = @state)`;

/** Newest first, ties by id descending; one more than `limit`, after the place `after`. */
export function listLinks(
  database: Database,
  filter: LinkFilter,
  page: { after: { created_at: number; id: string } | undefined; limit: number },
): PlacedLinkRow[] {
  return readAll(
    database,
    statement(
      database,
      `${SELECT} WHERE ${MATCHES}
         AND (@after_at IS NULL OR (bank_links.created_at, bank_links.id) < (@after_at, @after_id))
       ORDER BY bank_links.created_at DESC, bank_links.id DESC LIMIT @limit + 1`,
    ).all({
      ...filter,
      after_at: page.after?.created_at ?? null,
      after_id: page.after?.id ?? null,
      limit: page.limit,
    }),
  );
}

export function countLinks(database: Database, filter: LinkFilter): number {
  return statement(database, `SELECT count(*) FROM bank_links WHERE ${MATCHES}`)
    .pluck()
    .get(filter) as number;
}

export function countAllLinks(database: Database): number {
  return statement(database, 'SELECT count(*) FROM bank_links').pluck().get() as number;
}

export function deleteLink(database: Database, seq: number): void {
  statement(database, 'DELETE FROM bank_links WHERE seq = ?').run(seq);
}

/** The earliest time after `after` at which a link has something to do. */
export function findNextDue(database: Database, after: number): number | undefined {
  return (
    (statement(database, 'SELECT min(due_at) FROM bank_links WHERE due_at > ?').pluck().get(after) as
      number | null) ?? undefined
  );
}

/** Row ids of what is due after `after` and by `until`, in that order. */
export function listDue(database: Database, { after, until }: { after: number; until: number }): number[] {
  return statement(
    database,
    'SELECT seq FROM bank_links WHERE due_at > @after AND due_at <= @until ORDER BY due_at, seq',
  )
    .pluck()
    .all({ after, until }) as number[];
}

export interface RefreshRow {
  readonly products: readonly BankProduct[];
  readonly due_at: number;
}

export function insertRefresh(database: Database, link: number, refresh: RefreshRow): void {
  statement(database, 'INSERT INTO bank_refreshes (link, products, due_at) VALUES (?, ?, ?)').run(
    link,
    JSON.stringify(refresh.products),
    refresh.due_at,
  );
}

/** Takes those out that are due by `until`, in their order. */
export function takeDueRefreshes(database: Database, link: number, until: number): RefreshRow[] {
  const rows = statement(
    database,
    'DELETE FROM bank_refreshes WHERE link = ? AND due_at <= ? RETURNING seq, products, due_at',
  ).all(link, until) as { seq: number; products: string; due_at: number }[];
  return rows
    .sort((one, other) => one.due_at - other.due_at || one.seq - other.seq)
    .map(({ products, due_at }) => ({ products: JSON.parse(products) as BankProduct[], due_at }));
}

/** When the next refresh of a link is due. */
export function findNextRefresh(database: Database, link: number): number | undefined {
  return (
    (statement(database, 'SELECT min(due_at) FROM bank_refreshes WHERE link = ?').pluck().get(link) as
      number | null) ?? undefined
  );
}

export function countRefreshes(database: Database): number {
  return statement(database, 'SELECT count(*) FROM bank_refreshes').pluck().get() as number;
}

export interface IntentRow {
  /** SHA-256 of the token; the token itself is nowhere in the store. */
  readonly digest: Uint8Array;
  /** Row id. */
  readonly entity: number;
  /** Row id of the link that it reconnects. */
  readonly link: number | null;
  readonly persona: string;
  readonly institution: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** Whether it was expired when the clock was moved back. */
  readonly has_expired: number;
  readonly used_at: number | null;
  readonly seal: Uint8Array | null;
}

export function insertIntent(
  database: Database,
  row: Omit<IntentRow, 'has_expired' | 'used_at' | 'seal'>,
): void {
  const seal = sealOf(database, 'bank_link_intents', { ...row, has_expired: 0, used_at: null });
  statement(
    database,
    `INSERT INTO bank_link_intents (digest, entity, link, persona, institution, created_at, expires_at, seal)
     VALUES (@digest, @entity, @link, @persona, @institution, @created_at, @expires_at, @seal)`,
  ).run({ ...row, seal });
}

/** Throws `vault_damaged` when somebody else has changed it. */
export function findIntent(database: Database, digest: Uint8Array): IntentRow | undefined {
  const row = statement(database, 'SELECT * FROM bank_link_intents WHERE digest = ?').get(digest) as
    IntentRow | undefined;
  if (row) requireSeal(database, 'bank_link_intents', row, row.seal);
  else requireAbsent(database, INTENTS, [digest]);
  return row;
}

const INTENTS: OwnKey = {
  table: 'bank_link_intents',
  columns: ['digest'],
  twin: { index: 'bank_link_intents_by_entity', columns: ['entity'] },
};

/** The intent as it was found, used. */
export function useIntent(database: Database, intent: IntentRow, at: number): void {
  updateIntent(database, { ...intent, used_at: at });
}

function updateIntent(database: Database, row: IntentRow): void {
  statement(
    database,
    'UPDATE bank_link_intents SET has_expired = ?, used_at = ?, seal = ? WHERE digest = ?',
  ).run(row.has_expired, row.used_at, sealOf(database, 'bank_link_intents', row), row.digest);
}

/** What is expired by `now` stays so whatever the clock says later. */
export function markExpired(database: Database, now: number): void {
  const rows = statement(
    database,
    'SELECT * FROM bank_link_intents WHERE expires_at <= ? AND has_expired = 0',
  ).all(now) as IntentRow[];
  for (const row of rows) {
    requireSeal(database, 'bank_link_intents', row, row.seal);
    updateIntent(database, { ...row, has_expired: 1 });
  }
}

export function deleteIntentsExpiredBefore(database: Database, entity: number, time: number): void {
  statement(database, 'DELETE FROM bank_link_intents WHERE entity = ? AND expires_at < ?').run(entity, time);
}

/** Throws `vault_damaged` when somebody else has given the link to another entity or tenant. */
function read(database: Database, found: unknown): PlacedLinkRow | undefined {
  if (found === undefined) return undefined;
  const { seal, products, ...row } = found as Stored<PlacedLinkRow>;
  requireSeal(database, 'bank_links', row, seal);
  return { ...row, products: JSON.parse(products) as ProductTimes };
}

function readAll(database: Database, rows: unknown[]): PlacedLinkRow[] {
  return rows.map((row) => read(database, row)).filter((row) => row !== undefined);
}
