/**
 * Tables and facts that fit a screen of 80 columns. Long text continues on the next line, aligned with its start. For
 * programs (`Style.width`), a row is one line and nothing is cut. Every cell is made printable here.
 */
import {
  displayWidth,
  padded,
  printable,
  shortened,
  shortTime,
  wrapped,
} from '../../kernel/terminal-text.ts';
import type { Style } from './output.ts';

export { padded, shortened, shortTime, wrapped };

export const SCREEN_WIDTH = 80;
/** A last column narrower than this is placed below its row instead. */
const NARROWEST_COLUMN = 20;
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
  const space = Math.max(NARROWEST_COLUMN, (style.width ?? SCREEN_WIDTH) - width - GAP.length);
  return Object.values(members)
    .flatMap((value, index) =>
      valueLines(value, space).map((line, at) => {
        const name = at === 0 ? (names[index] ?? '') : '';
        return `${style.dim(padded(name, width))}${GAP}${line}`;
      }),
    )
    .join('\n');
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
 * Columns under dim headings, as in output.ts, but with the last column wrapped. If it gets too narrow, it goes below
 * its row. `nothing` is the line for an empty list.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  style: Style,
  nothing: string,
  isUnder = false,
): string {
  if (rows.length === 0) return nothing;
  const last = headings.length - 1;
  const cells = rows.map((row) => row.map(printable));
  const widths = headings
    .slice(0, last)
    .map((heading, column) =>
      Math.max(heading.length, ...cells.map((row) => displayWidth(row[column] ?? ''))),
    );
  const lead = (row: readonly string[]) =>
    widths.map((width, column) => padded(row[column] ?? '', width)).join(GAP);
  const indent = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const space = (style.width ?? SCREEN_WIDTH) - indent;
  const longest = Math.max(...cells.map((row) => displayWidth(row[last] ?? '')));
  const isFolded = style.width === undefined;
  if ((isUnder && isFolded) || space < Math.min(NARROWEST_COLUMN, longest)) {
    const under = cells.flatMap((row) => [
      lead(row).trimEnd(),
      ...wrapped(row[last] ?? '', SCREEN_WIDTH - INDENT.length).map((line) => INDENT + line),
    ]);
    return [style.dim(lead(headings).trimEnd()), ...under].join('\n');
  }
  const lines = cells.flatMap((row) =>
    wrapped(row[last] ?? '', space).map((line, at) =>
      at === 0 ? `${lead(row)}${GAP}${line}` : ' '.repeat(indent) + line,
    ),
  );
  return [style.dim(`${lead(headings)}${GAP}${headings[last] ?? ''}`), ...lines].join('\n');
}

/** A right-aligned column of numbers, with its heading first. */
export function rightAligned(heading: string, texts: readonly string[]): string[] {
  const column = [heading, ...texts.map(printable)];
  const width = Math.max(...column.map(displayWidth));
  return column.map((text) => ' '.repeat(width - displayWidth(text)) + text);
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

/** `drop`: columns with the highest number are left out first on a narrow screen, empty ones before all others. */
export interface Heading {
  readonly text: string;
  readonly drop?: number;
}

/** Like `columns`, without columns that don't fit. For programs, all columns are printed. */
export function columnsByUse(
  headings: readonly Heading[],
  rows: readonly (readonly unknown[])[],
  style: Style,
  nothing: string,
): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = headings.map(({ text }, at) =>
    Math.max(text.length, ...cells.map((row) => displayWidth(row[at] ?? ''))),
  );
  const isEmpty = (at: number) => cells.every((row) => row[at] === printable(null));
  const rank = (at: number) =>
    isEmpty(at) ? Number.MAX_SAFE_INTEGER : (headings[at]?.drop ?? Number.MIN_SAFE_INTEGER);
  let kept = headings.map((_, at) => at);
  const room = style.width ?? style.screen ?? SCREEN_WIDTH;
  while (kept.reduce((sum, at) => sum + (widths[at] ?? 0) + GAP.length, -GAP.length) > room) {
    const [next] = kept
      .filter((at) => headings[at]?.drop !== undefined)
      .toSorted((one, other) => rank(other) - rank(one));
    if (next === undefined) break;
    kept = kept.filter((at) => at !== next);
  }
  const chosen = <Part>(row: readonly Part[]) => kept.flatMap((at) => row.slice(at, at + 1));
  const texts = chosen(headings).map(({ text }) => text);
  return columns(texts, rows.map(chosen), style, nothing);
}

/** Columns under dim headings; a row is always one line. `nothing` is the line for an empty list. */
export function columns(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  style: Style,
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  const cells = rows.map((row) => row.map(printable));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => displayWidth(row[column] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const isLast = column === headings.length - 1;
        return isLast ? cell : cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell));
      })
      .join('  ');
  return [style.dim(line(headings)), ...cells.map(line)].join('\n');
}
