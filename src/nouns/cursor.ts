import { invalid } from '../kernel/errors.ts';
import { jsonOf } from '../kernel/text/json.ts';

/**
 * An opaque cursor that means "start after this place in the order" (contract §0.9). The parts are the sort key of the
 * last item on the previous page.
 */
export function encodeCursor(...parts: (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Decodes the parts, of the expected types; throws `invalid_request` for a cursor that this service did not write. */
export function decodeCursor<const Shape extends readonly ('string' | 'number')[]>(
  cursor: string,
  shape: Shape,
): { -readonly [Index in keyof Shape]: Shape[Index] extends 'string' ? string : number } {
  const parts = jsonOf(Buffer.from(cursor, 'base64url').toString('utf8'));
  const fits =
    Array.isArray(parts) &&
    parts.length === shape.length &&
    shape.every((type, index) => typeof parts[index] === type);
  if (!fits || encodeCursor(...(parts as (string | number)[])) !== cursor)
    throw invalid('The cursor is not one of this list');
  return parts as never;
}

/** Caps values above 100 and defaults to 20; the schema refuses other invalid values. */
export function pageSize(requested: number | undefined): number {
  return Math.min(requested ?? 20, 100);
}

/** Builds the cursor envelope from up to one row more than the page holds. */
export function cursorPage<Row, Item>(
  rows: readonly Row[],
  page: { size: number; count: number; cursorOf: (row: Row) => string; view: (row: Row) => Item },
): { data: Item[]; meta: { count: number; next: string | null } } {
  const shown = rows.slice(0, page.size);
  const last = shown.at(-1);
  const next = rows.length > page.size && last !== undefined ? page.cursorOf(last) : null;
  return { data: shown.map(page.view), meta: { count: page.count, next } };
}

type Order = Readonly<Record<string, 'string' | 'number'>>;
/** A place in a list: the columns that order it, of the row before. */
type Place<O extends Order> = {
  readonly [Name in keyof O]: O[Name] extends 'string' ? string : number;
};

/** The page of a list that is ordered by some columns of its rows. */
export function orderedPage<const O extends Order, Row extends Place<O>, Item>(
  { cursor, page_size }: { readonly cursor?: string; readonly page_size?: number },
  {
    by,
    list,
    ...page
  }: {
    readonly by: O;
    /** Returns up to one row more than `limit`. */
    readonly list: (page: { readonly after: Place<O> | undefined; readonly limit: number }) => readonly Row[];
    readonly count: number;
    readonly view: (row: Row) => Item;
  },
): ReturnType<typeof cursorPage<Row, Item>> {
  const size = pageSize(page_size);
  const names = Object.keys(by);
  const parts = cursor === undefined ? undefined : decodeCursor(cursor, Object.values(by));
  const after = parts && (Object.fromEntries(names.map((name, at) => [name, parts[at]])) as Place<O>);
  return cursorPage(list({ after, limit: size }), {
    ...page,
    size,
    cursorOf: (row) => encodeCursor(...names.map((name) => row[name] as string | number)),
  });
}

/** The row at which an offset page begins, counted from 0. A page beyond the limit begins far behind the last row. */
export function offsetPlace({ page = 0, page_size }: { page?: number; page_size?: number }): {
  page: number;
  size: number;
  offset: number;
} {
  const size = pageSize(page_size);
  return { page, size, offset: Math.min(page * size, Number.MAX_SAFE_INTEGER) };
}

/** Builds the offset envelope (contract §0.9) from up to one row more than the page holds; `page` counts from 0. */
export function offsetPage<Row, Item>(
  rows: readonly Row[],
  { page, size, view }: { page: number; size: number; view: (row: Row) => Item },
): { data: Item[]; meta: { next_page: number | null } } {
  return {
    data: rows.slice(0, size).map((row) => view(row)),
    meta: { next_page: rows.length > size ? page + 1 : null },
  };
}

const MAX_ENTRIES = 100;

/** A comma-separated parameter: split and trimmed, without empty entries or duplicates, at most 100 (contract §0.8). */
export function listParameter(name: string, text: string): string[] {
  const entries = new Set(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );
  if (entries.size > MAX_ENTRIES) {
    throw invalid(`Query parameter ${name} has more than ${MAX_ENTRIES} entries`);
  }
  return [...entries];
}
