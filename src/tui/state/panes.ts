/** Moving in a pane and loading it: pure steps that update.ts puts together. */
import type { PaneDefinition } from '../screens/definition.ts';
import type { Effect, Page, PaneState, ViewState } from './model.ts';
import { shownRows } from './rows.ts';

/** Rows that are asked for at once. */
export const PAGE_SIZE = 100;
/** So many rows before the end of what is loaded the next page is asked for. */
const LOOK_AHEAD = 40;

export const EMPTY_PANE: PaneState = {
  rows: [],
  next: null,
  total: undefined,
  banner: undefined,
  loading: undefined,
  generation: 0,
  problem: undefined,
  isStale: false,
  selected: 0,
  top: 0,
  filter: '',
  sort: undefined,
  follows: false,
};

export interface Loading {
  readonly pane: PaneState;
  readonly effects: readonly Effect[];
}

/** Loads a pane from its start. What it shows stays until the answer is there. */
export function loadFirst(pane: PaneState, at: number, { id, place }: ViewState): Loading {
  const generation = pane.generation + 1;
  return {
    pane: { ...pane, generation, loading: 'first', isStale: false },
    effects: [
      {
        type: 'load',
        view: id,
        pane: at,
        generation,
        place,
        cursor: undefined,
        filter: pane.filter,
        size: PAGE_SIZE,
      },
    ],
  };
}

/** Loads on where the end of what is loaded comes near. */
export function loadMore(
  pane: PaneState,
  at: number,
  view: ViewState,
  height: number,
  definition: PaneDefinition,
): Loading {
  const count = rowsOf(pane, definition).length;
  const isNear = Math.max(pane.selected, pane.top + height) + LOOK_AHEAD >= count;
  if (pane.next === null || pane.loading !== undefined || !isNear) return { pane, effects: [] };
  return {
    pane: { ...pane, loading: 'more' },
    effects: [
      {
        type: 'load',
        view: view.id,
        pane: at,
        generation: pane.generation,
        place: view.place,
        cursor: pane.next,
        filter: pane.filter,
        size: PAGE_SIZE,
      },
    ],
  };
}

export function rowsOf(pane: PaneState, definition: PaneDefinition): ReturnType<typeof shownRows> {
  return shownRows(pane, definition.filteredBy === 'daemon');
}

/** Selects the row at `index`, or the nearest there is, and draws it. */
export function selectAt(
  pane: PaneState,
  index: number,
  height: number,
  definition: PaneDefinition,
): PaneState {
  const last = rowsOf(pane, definition).length - 1;
  const selected = Math.max(0, Math.min(index, last));
  const top = Math.max(0, Math.min(pane.top, selected, Math.max(0, last - height + 1)));
  return { ...pane, selected, top: selected >= top + height ? selected - height + 1 : top };
}

/** A page that came. The selected row stays selected where it is still there. */
export function takePage(
  pane: PaneState,
  page: Page,
  isFirst: boolean,
  height: number,
  definition: PaneDefinition,
): PaneState {
  const key = rowsOf(pane, definition)[pane.selected]?.key;
  const rows = isFirst ? page.rows : appended(pane.rows, page.rows);
  const taken: PaneState = {
    ...pane,
    rows,
    next: page.next,
    total: page.total,
    banner: isFirst ? page.banner : pane.banner,
    loading: undefined,
    problem: undefined,
  };
  if (pane.follows) return selectAt({ ...taken, top: 0 }, 0, height, definition);
  const index = key === undefined ? -1 : rowsOf(taken, definition).findIndex((row) => row.key === key);
  return selectAt(taken, index === -1 ? pane.selected : index, height, definition);
}

/** Rows that came between two pages are there twice otherwise. */
function appended(rows: PaneState['rows'], more: Page['rows']): PaneState['rows'] {
  const known = new Set(rows.map(({ key }) => key));
  return [...rows, ...more.filter(({ key }) => !known.has(key))];
}
