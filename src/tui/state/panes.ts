/** Moving in a pane and loading it: pure steps that update.ts combines. */
import { PAGE_SIZE as LIMITS } from '../../contract/facts/limits.ts';
import type { PaneDefinition } from '../screens/definition.ts';
import type { Effect, Page, PaneState, ViewState } from './model.ts';
import { shownRows } from './rows.ts';

/** The number of rows in one request. */
export const PAGE_SIZE = LIMITS.most;
/** The next page is requested this many rows before the end of the loaded ones. */
const LOOK_AHEAD = 40;

export const EMPTY_PAGE: Page = {
  rows: [],
  next: null,
  total: undefined,
  banner: undefined,
  history: undefined,
  record: undefined,
};

export const EMPTY_PANE: PaneState = {
  ...EMPTY_PAGE,
  loading: undefined,
  isKnown: false,
  generation: 0,
  problem: undefined,
  isGone: false,
  isStale: false,
  selected: 0,
  top: 0,
  filter: '',
  sort: undefined,
  marked: new Set(),
  follows: false,
};

export interface Loading {
  readonly pane: PaneState;
  readonly effects: readonly Effect[];
}

/** A list read further down than this isn't reloaded to its full length. */
export const DEEPEST_RELOAD = 1000;

/** Rows don't move while the user reads further down in a long list. */
export function isReadInto({ rows, next, top, follows }: PaneState): boolean {
  return top > 0 && !follows && (next !== null || rows.length > PAGE_SIZE);
}

/**
 * Reloads a pane from its start, up to the selected row and to those that are seen. The old rows stay visible until the
 * response arrives. A pane that is read very far down is only marked as changed.
 */
export function loadAgain(pane: PaneState, at: number, view: ViewState): Loading {
  return isReadInto(pane) && depthOf(pane) >= DEEPEST_RELOAD && pane.problem === undefined
    ? { pane: { ...pane, isStale: true }, effects: [] }
    : loadFirst(pane, at, view);
}

/** A page is scrolled away from the selected row. */
function depthOf({ selected, top }: PaneState): number {
  return Math.max(selected, top);
}

/** Loads a pane from its start. The old rows stay visible until the response arrives. */
export function loadFirst(pane: PaneState, at: number, view: ViewState): Loading {
  const depth = depthOf(pane);
  const isFar = depth >= PAGE_SIZE && depth < DEEPEST_RELOAD;
  const isWhole = pane.sort !== undefined && (pane.total ?? Infinity) <= DEEPEST_RELOAD;
  const size = isWhole ? DEEPEST_RELOAD : isFar ? PAGE_SIZE * (Math.floor(depth / PAGE_SIZE) + 1) : PAGE_SIZE;
  const next = { ...pane, generation: pane.generation + 1, loading: 'first' as const, isStale: false };
  return loading(next, { at, view, size });
}

/** Loads the next page when the end of the loaded rows is near. */
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
  return loading({ ...pane, loading: 'more' }, { at, view, size: PAGE_SIZE, cursor: pane.next });
}

function loading(
  pane: PaneState,
  { at, view, size, cursor }: { at: number; view: ViewState; size: number; cursor?: string },
): Loading {
  const { id, place } = view;
  const { generation, filter } = pane;
  return { pane, effects: [{ type: 'load', view: id, pane: at, generation, place, cursor, filter, size }] };
}

export function rowsOf(pane: PaneState, definition: PaneDefinition): ReturnType<typeof shownRows> {
  return shownRows(pane, definition.filteredBy === 'daemon');
}

/** Selects the row at `index`, or the nearest row, and scrolls to it. */
export function selectAt(
  pane: PaneState,
  index: number,
  height: number,
  definition: PaneDefinition,
): PaneState {
  const last = rowsOf(pane, definition).length - 1;
  const selected = Math.max(0, Math.min(index, last));
  const top = Math.max(0, Math.min(pane.top, selected, Math.max(0, last - height + 1)));
  const shownTop = selected >= top + height ? selected - height + 1 : top;
  return selected === pane.selected && shownTop === pane.top ? pane : { ...pane, selected, top: shownTop };
}

/** Takes a loaded page. The selected row stays selected if it still exists. */
export function takePage(
  pane: PaneState,
  page: Page,
  isFirst: boolean,
  height: number,
  definition: PaneDefinition,
): PaneState {
  const key = rowsOf(pane, definition)[pane.selected]?.key;
  const { next, total } = page;
  const taken: PaneState = {
    ...pane,
    ...(isFirst
      ? { ...EMPTY_PAGE, ...page, marked: stillMarked(pane.marked, page.rows) }
      : { rows: appended(pane.rows, page.rows), next, total }),
    loading: undefined,
    isKnown: true,
    problem: undefined,
    isGone: false,
  };
  if (pane.follows) return selectAt({ ...taken, top: 0 }, 0, height, definition);
  const shown = rowsOf(taken, definition);
  const index = key === undefined ? -1 : shown.findIndex((row) => row.key === key);
  if (index === -1) {
    // Goes back to the start: the selected row is beyond the loaded ones.
    const isBeyond = page.next !== null && pane.selected >= shown.length;
    return selectAt(taken, isFirst && isBeyond ? 0 : pane.selected, height, definition);
  }
  // If rows above changed, the selected one stays at its place in the window.
  const top = pane.top === 0 ? 0 : Math.max(0, pane.top + index - pane.selected);
  return selectAt({ ...taken, top }, index, height, definition);
}

function stillMarked(marked: ReadonlySet<string>, rows: Page['rows']): ReadonlySet<string> {
  if (marked.size === 0) return marked;
  return new Set(rows.flatMap(({ key }) => (marked.has(key) ? [key] : [])));
}

/** Drops duplicates: rows that came between two pages shift the rest. */
function appended(rows: PaneState['rows'], more: Page['rows']): PaneState['rows'] {
  const known = new Set(rows.map(({ key }) => key));
  return [...rows, ...more.filter(({ key }) => !known.has(key))];
}

/** Whether rows that aren't loaded may belong between those that are shown. */
export function isSortedInPart({ sort, next, loading }: PaneState): boolean {
  return sort !== undefined && next !== null && loading === undefined;
}

/** The text in place of rows. */
export function emptyText({ empty }: PaneDefinition, { isKnown, filter, problem }: PaneState): string {
  if (problem !== undefined) return problem;
  if (!isKnown) return filter === '' ? 'Loading …' : 'Searching …';
  return filter === '' ? empty : 'Nothing matches the filter';
}
