/**
 * Text for people. Every value goes through `printable`: it came from an API caller and could hold terminal control
 * sequences; the functions here apply it to each cell, so that a view can't forget to.
 */
import { styleText } from 'node:util';

/** How a view may look on this stream. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
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

// Control characters (C0, DEL, C1), line and paragraph separators, and the marks that reorder text on screen.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A value on one line, control characters as visible escapes. `-` stands for nothing. */
export function printable(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

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

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Terminal cells of a text, near enough to align columns of masked values, ids and names. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
