/** The SQL of links and their refreshes. Times are epoch milliseconds. */
import { REFRESH_SECONDS } from '../endpoints/index.ts';
import type { LinkState, BankProduct, LinkError } from '../facts.ts';
import { dayOf, startOfDay } from '../../../kernel/time/civil-date.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import { scalarStatement, statement } from '../../../storage/statement.ts';
import {
  assigned,
  bytes,
  integer,
  joined,
  json,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../../storage/table.ts';
import { rowSeal } from '../../../vault/grants/index.ts';
import type { StepBack } from '../../clock/service/index.ts';

export type ProductTimes = {
  readonly [Product in BankProduct]?: {
    readonly refreshed_at: number | null;
    readonly last_attempted_at: number | null;
    /** When a refresh was last requested, for products with a limit; absent before the first one. */
    readonly requested_at?: number;
  };
};

const LINKS = table(
  'bank_links',
  {
    seq: integer,
    id: text,
    /** Row id. */
    space: integer,
    /** Row id. */
    entity: integer,
    external_id: optional(text),
    persona: text,
    /** The day on which it was created. */
    anchor: integer,
    institution: text,
    state: textOf<LinkState>(),
    error_code: optional(textOf<LinkError>()),
    products: json<ProductTimes>(),
    last_synced_at: optional(integer),
    /** The next time at which it has work due; null when there is none. */
    due_at: optional(integer),
    sealed_world: bytes,
    created_at: integer,
    fp_id: joined('entities.fp_id', text),
  },
  {
    key: ['seq'],
    fixed: ['id', 'space', 'entity', 'external_id', 'persona', 'anchor', 'institution', 'created_at'],
    from: 'bank_links LEFT JOIN entities ON entities.id = bank_links.entity',
    seal: rowSeal('bank_links'),
  },
);

/** A link with its entity. Reads throw `vault_damaged` when another program has moved it to another entity or tenant. */
export type PlacedLinkRow = Omit<RowOf<typeof LINKS>, 'seal'>;
export type LinkRow = Omit<PlacedLinkRow, 'fp_id'>;

/** Not that of a deleted link whose transactions are not removed yet. */
const NEXT_ROW = scalarStatement<[], number>(`SELECT 1 + max(coalesce((SELECT max(seq) FROM bank_links), 0),
  coalesce((SELECT max(parent) FROM debris WHERE of_table = 'bank_transactions'), 0))`);

/** Returns its row id. */
export function insertLink(database: Database, row: Omit<LinkRow, 'seq'>): number {
  return LINKS.insert(database, { ...row, seq: NEXT_ROW.one(database) });
}

/** The columns that change over time. */
export const updateLink = LINKS.update;

export const setLink = LINKS.set;

const findById = LINKS.first<[id: string]>('WHERE bank_links.id = ?');

export const findLinkByRow = LINKS.first<[seq: number]>('WHERE seq = ?');
export const isLinkId = LINKS.has<[id: string]>('id = ?');

/** Newest first. */
export const listLinksOfEntity = LINKS.all<[entity: number]>(
  'WHERE entity = ? ORDER BY bank_links.created_at DESC, bank_links.id DESC',
);

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

/** Newest first, ties by id descending. */
export const linksOf = LINKS.page<LinkFilter, 'created_at' | 'id'>(
  MATCHES,
  { created_at: 'number', id: 'string' },
  'DESC',
);
export const countAllLinks = LINKS.count();

/** Its transactions become debris. */
export const deleteLink = LINKS.delete<[seq: number]>('seq = ?');

/** The earliest time after `after` at which a link has work due. */
export const findNextDue = scalarStatement<[after: number], number>(
  'SELECT due_at FROM bank_links WHERE due_at > ? ORDER BY due_at LIMIT 1',
).get;

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
export const listDue = LINKS.values<{ after: number; until: number }, 'seq'>(
  'seq',
  'WHERE due_at > @after AND due_at <= @until ORDER BY due_at, seq',
);

const REFRESHES = table('bank_refreshes', {
  seq: assigned,
  link: integer,
  products: json<readonly BankProduct[]>(),
  due_at: integer,
});

export const insertRefresh = REFRESHES.insert;

const listDueRefreshes = REFRESHES.all<[link: number, until: number]>(
  'WHERE link = ? AND due_at <= ? ORDER BY due_at, seq',
);
const deleteDueRefreshes = REFRESHES.delete<[link: number, until: number]>('link = ? AND due_at <= ?');

/** Removes and returns the refreshes due by `until`, in order. */
export function takeDueRefreshes(database: Database, link: number, until: number): RowOf<typeof REFRESHES>[] {
  const due = listDueRefreshes(database, link, until);
  deleteDueRefreshes(database, link, until);
  return due;
}

export const findNextRefresh = scalarStatement<[link: number], number>(
  'SELECT due_at FROM bank_refreshes WHERE link = ? ORDER BY due_at LIMIT 1',
).get;

export const countRefreshes = REFRESHES.count();

/** A link of this space (row id). Throws `not_found` for one that is unknown, deleted or in another space. */
export function getLink(database: Database, space: number, id: string): PlacedLinkRow {
  const link = findById(database, id);
  if (link?.space === space) return link;
  throw new ServiceError('not_found', 'No bank link of this environment has this id');
}
