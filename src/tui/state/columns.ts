/** The widths of a table's columns in a window: leaves out the least important, then cuts the longest. */
import { displayWidth, printable, shortened } from '../../kernel/terminal-text.ts';
import type { Column, Row } from './model.ts';
import { textOf } from './rows.ts';

export const COLUMN_GAP = 2;
const NARROWEST_GROWING = 12;
const WIDEST = 44;
const NARROWEST = 6;
/** A longer text may be cut to this width before another column is left out for it. */
const LEAST_OF_LONG = 20;

export interface PlacedColumn {
  /** The index in the definition's columns. */
  readonly at: number;
  readonly width: number;
}

/** The columns that fit `width` cells, in their order, for the visible rows. */
export function placeColumns(
  columns: readonly Column[],
  rows: readonly Row[],
  width: number,
): readonly PlacedColumn[] {
  const natural = columns.map(({ heading, grows }, at) => {
    const longest = Math.max(
      displayWidth(heading),
      ...rows.map(({ cells }) => displayWidth(printable(textOf(cells[at])))),
    );
    return grows === true ? longest : Math.min(longest, WIDEST);
  });
  const least = columns.map((column, at) => Math.min(natural[at] ?? 0, leastOf(column)));
  const kept = keptColumns(columns, rows, least, width);
  const widths = new Map(kept.map((at) => [at, least[at] ?? 0]));
  let spare = width - takenBy(kept, least);
  const isGrowing = (at: number) => columns[at]?.grows === true;
  // The growing column takes the space that the others leave.
  for (const at of [...kept.filter((each) => !isGrowing(each)), ...kept.filter(isGrowing)]) {
    const more = Math.max(0, Math.min(spare, (natural[at] ?? 0) - (widths.get(at) ?? 0)));
    widths.set(at, (widths.get(at) ?? 0) + more);
    spare -= more;
  }
  while (spare < 0) {
    const [widest] = kept
      .filter((at) => !isTime(columns[at]) && (widths.get(at) ?? 0) > NARROWEST)
      .toSorted((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    if (widest === undefined) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
    spare += 1;
  }
  return kept.map((at) => ({ at, width: widths.get(at) ?? 0 }));
}

/** A text that fits a column of this width. */
export function fitted(text: string, width: number, column: Column | undefined): string {
  if (column?.isId !== true || displayWidth(text) <= width) return shortened(text, width);
  return `…${Array.from(text)
    .slice(1 - width)
    .join('')}`;
}

/** A cut time is useless. */
const isTime = (column: Column | undefined) => column?.heading.endsWith('(UTC)') === true;

function leastOf(column: Column): number {
  if (column.atLeast !== undefined) return column.atLeast;
  if (column.grows === true) return NARROWEST_GROWING;
  return isTime(column) || column.isId === true ? WIDEST : LEAST_OF_LONG;
}

/** Leaves out empty columns first, then the least useful. */
function keptColumns(
  columns: readonly Column[],
  rows: readonly Row[],
  least: readonly number[],
  width: number,
): readonly number[] {
  const isEmpty = (at: number) => rows.every(({ cells }) => ['', '-'].includes(textOf(cells[at]).trim()));
  const use = columns.map(({ drop }, at) =>
    drop === undefined ? undefined : isEmpty(at) ? Number.MAX_SAFE_INTEGER : drop,
  );
  let kept: readonly number[] = columns.flatMap(({ hidesEmpty }, at) =>
    hidesEmpty === true && isEmpty(at) ? [] : [at],
  );
  while (takenBy(kept, least) > width) {
    const [next] = kept
      .filter((at) => use[at] !== undefined)
      .toSorted((a, b) => (use[b] ?? 0) - (use[a] ?? 0));
    if (next === undefined) break;
    kept = kept.filter((at) => at !== next);
  }
  return kept;
}

function takenBy(kept: readonly number[], widths: readonly number[]): number {
  return kept.reduce((sum, at) => sum + (widths[at] ?? 0), 0) + COLUMN_GAP * (kept.length - 1);
}
