/**
 * Tables and facts that fit the terminal, or 80 columns if its width is unknown. Long text continues on the next line,
 * aligned with its start. For programs (`Style.width`), a row is one line and nothing is cut. Every cell is made
 * printable here.
 */
import {
  displayWidth,
  padded,
  printable,
  shortened,
  shortTime,
  wrapped,
} from '../../kernel/text/terminal-text.ts';
import { jsonText } from '../../kernel/text/json.ts';
import { indentedJson } from './json-text.ts';
import type { Style } from './output.ts';

export { padded, shortened, shortTime, wrapped };

export const SCREEN_WIDTH = 80;
/** A last column of text narrower than this is placed below its row instead. */
const NARROWEST_COLUMN = 20;
/** A longer word may be broken at the line end; ids and data identifiers are not. */
const LONGEST_WHOLE_WORD = 40;
const GAP = '  ';
const INDENT = '    ';

/** A text with a colour of its own. */
export interface Painted {
  readonly text: string;
  readonly paint: (text: string) => string;
}

/** `name  value` lines with aligned names. A list has one line for each entry. */
export function facts(members: Readonly<Record<string, unknown>>, style: Style): string {
  const names = Object.keys(members).map(printable);
  const width = Math.max(0, ...names.map(displayWidth));
  const space = Math.max(NARROWEST_COLUMN, roomOf(style) - width - GAP.length);
  return Object.values(members)
    .flatMap((value, index) =>
      valueLines(value, space).map((line, at) => {
        const name = at === 0 ? (names[index] ?? '') : '';
        return `${style.dim(padded(name, width))}${GAP}${line}`;
      }),
    )
    .join('\n');
}

/** How a member is shown: under which name, and as what. An empty one is not shown. */
type ShownMember<Value> = readonly [] | readonly [name: string, text?: (value: Value) => unknown];

/**
 * The members of a result for `facts`: all of them, in their order, so that a new one is shown without further ado. A
 * name has blanks, and true and false are yes and no, unless `shown` has another way.
 */
export function members<Result extends object>(
  result: Result,
  shown: { readonly [Name in keyof Result]?: ShownMember<Result[Name]> },
): Record<string, unknown> {
  const entries = Object.entries(result).flatMap(([member, value]) => {
    const own = (shown as Readonly<Record<string, ShownMember<unknown>>>)[member];
    if (own?.length === 0) return [];
    const [name = member.replaceAll('_', ' '), text] = own ?? [];
    return [[name, text ? text(value) : typeof value === 'boolean' ? yesNo(value) : value]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function valueLines(value: unknown, space: number): string[] {
  if (isPainted(value)) return wrapped(printable(value.text), space).map(value.paint);
  const entries = Array.isArray(value) && value.length > 0 ? (value as unknown[]) : [value];
  return entries.flatMap((entry) => wrapped(Array.isArray(entry) ? '-' : printable(entry), space));
}

function isPainted(value: unknown): value is Painted {
  return typeof value === 'object' && value !== null && 'paint' in value;
}

/**
 * `drop`: columns with the highest number are left out first on a narrow screen, empty ones before all others.
 * `isNumber`: aligned on the right.
 */
interface MarkedHeading {
  readonly text: string;
  readonly drop?: number | undefined;
  readonly isNumber?: boolean;
}

export type Heading = string | MarkedHeading;

interface Column {
  readonly heading: string;
  readonly drop: number | undefined;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * Columns under dim headings, at most as wide as the terminal; `nothing` is the line for an empty list. Columns without
 * room are left out in the order of `drop`. Then the last column is wrapped, or goes below its row (always if
 * `isUnder`). Then the longest texts are cut, ids last. For programs, all columns are printed, and a row is one line.
 */
export function table(
  headings: readonly Heading[],
  rows: readonly (readonly unknown[])[],
  style: Style,
  nothing: string,
  isUnder = false,
): string {
  const all = headings.map((heading, at): Column => {
    const { text, drop, isNumber }: MarkedHeading = typeof heading === 'string' ? { text: heading } : heading;
    const texts = [text, ...rows.map((row) => printable(row[at]))];
    const width = Math.max(...texts.map(displayWidth));
    const start = (one: string) => (isNumber ? ' '.repeat(width - displayWidth(one)) : '');
    const [name = '', ...cells] = texts.map((one) => start(one) + one);
    return { heading: name, drop, cells, width };
  });
  const room = roomOf(style);
  const isFolded = style.width === undefined;
  const kept = withoutDropped(all, (some) => leastWidth(some, isUnder && isFolded) <= room);
  const last = kept.at(-1);
  if (rows.length === 0 || last === undefined) return nothing;
  const isBelow = isFolded && kept.length > 1 && (isUnder || leastWidth(kept, false) > room);
  const lead = isBelow ? cutToFit(kept.slice(0, -1), room) : kept.slice(0, -1);
  const start = (textOf: (column: Column) => string) =>
    lead.map((column) => padded(shortened(textOf(column), column.width), column.width) + GAP).join('');
  const indent = isBelow ? INDENT : ' '.repeat(displayWidth(start(({ heading }) => heading)));
  const lines = rows.flatMap((_, row) => {
    const beginning = start(({ cells }) => cells[row] ?? '');
    const [first = '', ...more] = linesOf(last.cells[row] ?? '', room - indent.length);
    const below = more.map((line) => indent + line);
    return isBelow ? [beginning.trimEnd(), indent + first, ...below] : [beginning + first, ...below];
  });
  const names = start(({ heading }) => heading) + (isBelow ? '' : last.heading);
  return [style.dim(names.trimEnd()), ...lines].join('\n');
}

/**
 * A column of a list: its heading (`number` for one of numbers), its cell (a member of the row, or what is made of it),
 * and its place: when it is left out (`drop` of a heading), or `below`, under the rest of its row. A member that is true
 * or false is shown as yes or no.
 */
export type ListColumn<Row> = readonly [
  heading: string | { readonly number: string },
  cell: (string & keyof Row) | ((row: Row, style: Style) => unknown),
  place?: number | 'below',
];

/** Where a page of a list ends. */
type PageEnd =
  | { readonly next: string | null; readonly count: number }
  | { readonly next_page: number | null };

/** A list of the API: whole, or a page of it. */
type List = readonly unknown[] | { readonly data: readonly unknown[]; readonly meta: PageEnd };
type RowOf<Answer> = Answer extends readonly (infer Row)[]
  ? Row
  : Answer extends { readonly data: readonly (infer Row)[] }
    ? Row
    : never;

/** The view of a list: `table`, and the line under a page that isn't the last. */
export function listView<Answer extends List>(
  nothing: string,
  columns: readonly ListColumn<RowOf<Answer>>[],
): (list: Answer, style: Style) => string {
  const isUnder = columns.some(([, , place]) => place === 'below');
  const headings = columns.map(([heading, , place]): Heading => {
    const drop = place === 'below' ? undefined : place;
    return typeof heading === 'string'
      ? { text: heading, drop }
      : { text: heading.number, drop, isNumber: true };
  });
  return (list, style) => {
    const { data, meta } = 'data' in list ? list : { data: list, meta: undefined };
    const rows = (data as readonly RowOf<Answer>[]).map((row) =>
      columns.map(([, cell]) => {
        const value = typeof cell === 'function' ? cell(row, style) : row[cell];
        return typeof value === 'boolean' ? yesNo(value) : value;
      }),
    );
    const more = meta === undefined ? [] : moreView(meta, data.length, style);
    return [table(headings, rows, style, nothing, isUnder), ...more].join('\n');
  };
}

/** The line under a page that isn't the last. */
export function moreView(end: PageEnd, shown: number, style: Style): string[] {
  if ('next_page' in end)
    return end.next_page === null ? [] : [style.dim(`There is more: --page ${end.next_page}`)];
  return end.next === null ? [] : [style.dim(`${shown} of ${end.count}; continue with --cursor ${end.next}`)];
}

/** Columns of a line. Infinite for programs. */
export function roomOf({ width, screen = SCREEN_WIDTH }: Style): number {
  return width ?? screen;
}

function linesOf(text: string, width: number): string[] {
  return displayWidth(text) <= width ? [text] : wrapped(text, Math.max(1, width));
}

/** The width of the columns if the last one is wrapped, or below its row. */
function leastWidth(columns: readonly Column[], isBelow: boolean): number {
  const widths = columns.map(({ heading, cells, width }, at) => {
    if (at < columns.length - 1) return width;
    const words = cells.flatMap((cell) => cell.split(' ').map(displayWidth));
    const word = Math.min(Math.max(0, ...words), LONGEST_WHOLE_WORD);
    return Math.min(width, Math.max(NARROWEST_COLUMN, displayWidth(heading), word));
  });
  return lineWidth(isBelow ? widths.slice(0, -1) : widths);
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

function withoutDropped(
  columns: readonly Column[],
  fits: (columns: readonly Column[]) => boolean,
): readonly Column[] {
  const rank = ({ drop = 0, cells }: Column) => (cells.every((cell) => cell === NO_VALUE) ? Infinity : drop);
  const [next] = columns
    .filter(({ drop }) => drop !== undefined)
    .toSorted((one, other) => rank(other) - rank(one));
  if (next === undefined || fits(columns)) return columns;
  return withoutDropped(
    columns.filter((column) => column !== next),
    fits,
  );
}

const NO_VALUE = printable(null);
const ID = /^(?:[a-z]+_){1,2}[0-9A-Za-z]{22}$/;
const NARROWEST_CUT = 6;

function cutToFit(columns: readonly Column[], room: number): readonly Column[] {
  const widths = columns.map(({ width }) => width);
  const isOfIds = columns.map(({ cells }) => cells.some((cell) => ID.test(cell)));
  const use = (at: number) => (isOfIds[at] === true ? 0 : (widths[at] ?? 0));
  while (lineWidth(widths) > room) {
    const [widest = 0] = widths
      .map((_, at) => at)
      .filter((at) => (widths[at] ?? 0) > NARROWEST_CUT)
      .toSorted((one, other) => use(other) - use(one));
    if ((widths[widest] ?? 0) <= NARROWEST_CUT) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return columns.map((column, at) => ({ ...column, width: widths[at] ?? 0 }));
}

/** The text of a cell: cut to `width` on a terminal, whole for programs. */
export function fitted(text: string, width: number, style: Style): string {
  return style.width === undefined ? shortened(text, width) : text;
}

export function yesNo(claim: boolean): string {
  return claim ? 'yes' : 'no';
}

/** `name  value` lines with aligned names. A value is always on one line, so that it can be copied. */
export function pairs(members: Readonly<Record<string, unknown>>, style: Style): string {
  const names = Object.keys(members).map(printable);
  const width = Math.max(0, ...names.map((name) => name.length));
  return Object.values(members)
    .map((value, index) => `${style.dim((names[index] ?? '').padEnd(width))}  ${printable(value)}`)
    .join('\n');
}

/** JSON below a heading, indented, after an empty line; nothing without a value. */
export function jsonSection(heading: string, value: unknown, style: Style): string[] {
  if (value === null || value === undefined) return [];
  const lines = indentedJson(jsonText(value))
    .split('\n')
    .map((line) => `  ${printable(line)}`);
  return ['', style.bold(heading), ...lines];
}
