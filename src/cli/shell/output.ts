/**
 * Text for people. Every value goes through `printable`: it came from an API caller and could hold terminal control
 * sequences; the functions here apply it to each cell, so that a view can't forget to.
 */
import { styleText } from 'node:util';
import { displayWidth, printable } from '../../kernel/terminal-text.ts';

export { displayWidth, printable };

/** How a view may look on this stream. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  /** Columns that a line may have; a screen's unless given. Without end where a program reads: a row is a line. */
  readonly width?: number;
}

const asIs = (text: string) => text;
export const PLAIN: Style = { bold: asIs, dim: asIs, good: asIs, bad: asIs, warn: asIs };
export const COLOURED: Style = {
  bold: (text) => styleText('bold', text),
  dim: (text) => styleText('dim', text),
  good: (text) => styleText('green', text),
  bad: (text) => styleText('red', text),
  warn: (text) => styleText('yellow', text),
};

/** A view turns a result into lines for people; pure, tested alone. */
export type View<Result> = (result: Result, style: Style) => string;

/** `name  value` lines, names aligned. */
export function pairs(members: Readonly<Record<string, unknown>>, style: Style): string {
  const names = Object.keys(members).map(printable);
  const width = Math.max(0, ...names.map((name) => name.length));
  return Object.values(members)
    .map((value, index) => `${style.dim((names[index] ?? '').padEnd(width))}  ${printable(value)}`)
    .join('\n');
}

/** Columns under dim headings; `nothing` is the line for an empty list. */
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
