/** How wide the columns of a table are in a window: what matters least is left out, then what is longest is cut. */
import { displayWidth, printable } from '../../kernel/terminal-text.ts';
import type { Column, Row } from './model.ts';
import { textOf } from './rows.ts';

export const COLUMN_GAP = 2;
const NARROWEST_GROWING = 12;
const WIDEST = 44;
const NARROWEST = 6;

export interface PlacedColumn {
  /** Which of the definition's columns. */
  readonly at: number;
  readonly width: number;
}

/** The columns that fit `width` cells, in their order, for the rows that are drawn. */
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
  const isGrowing = (at: number) => columns[at]?.grows === true;
  const needed = (at: number) =>
    isGrowing(at)
      ? Math.min(natural[at] ?? 0, columns[at]?.atLeast ?? NARROWEST_GROWING)
      : (natural[at] ?? 0);
  let kept = columns.map((_, at) => at);
  const taken = () => kept.reduce((sum, at) => sum + needed(at), 0) + COLUMN_GAP * (kept.length - 1);
  while (taken() > width) {
    const droppable = kept.filter((at) => columns[at]?.drop !== undefined);
    const next = droppable.toSorted((a, b) => (columns[b]?.drop ?? 0) - (columns[a]?.drop ?? 0))[0];
    if (next === undefined) break;
    kept = kept.filter((at) => at !== next);
  }
  const widths = new Map(kept.map((at) => [at, needed(at)]));
  let spare = width - taken();
  for (const at of kept.filter(isGrowing)) {
    const more = Math.max(0, Math.min(spare, (natural[at] ?? 0) - (widths.get(at) ?? 0)));
    widths.set(at, (widths.get(at) ?? 0) + more);
    spare -= more;
  }
  while (spare < 0) {
    const [widest = 0] = kept.toSorted((a, b) => (widths.get(b) ?? 0) - (widths.get(a) ?? 0));
    if ((widths.get(widest) ?? 0) <= NARROWEST) break;
    widths.set(widest, (widths.get(widest) ?? 0) - 1);
    spare += 1;
  }
  return kept.map((at) => ({ at, width: widths.get(at) ?? 0 }));
}
