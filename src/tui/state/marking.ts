/** Marks rows, for an action on many of them. Pure. */
import { counted } from '../../kernel/text/count-text.ts';
import { heightOf } from './heights.ts';
import type { Row, State, Step } from './model.ts';
import { selectAt } from './panes.ts';
import {
  currentList,
  currentPane,
  currentRows,
  hidden,
  selectedRow,
  withCurrentPane,
  withNotice,
  withoutEffects,
} from './reading.ts';

const NONE: ReadonlySet<string> = new Set();

/** In the order of the list, including rows that a filter hides. */
export function markedRows(state: State): readonly Row[] {
  const { rows, marked } = currentPane(state);
  return marked.size === 0 ? [] : rows.filter(({ key }) => marked.has(key));
}

/** Marks or unmarks the selected row, and moves to the next. */
export function marked(state: State): Step {
  const row = selectedRow(state);
  const { definition, pane } = currentList(state);
  if (row === undefined) return withoutEffects(state);
  const others = new Set(pane.marked);
  if (!others.delete(row.key)) others.add(row.key);
  const height = heightOf(state);
  // New rows would move the rows that the user is marking.
  const next = selectAt({ ...pane, marked: others, follows: false }, pane.selected + 1, height, definition);
  return withMarkedCount(withCurrentPane(hidden(state), next), others.size);
}

/** Marks every loaded and visible row. If some are marked, unmarks all. */
export function markedAll(state: State): Step {
  const pane = currentPane(state);
  if (pane.marked.size > 0) return unmarked(state);
  const all = new Set(currentRows(state).map(({ key }) => key));
  const next = withCurrentPane(state, { ...pane, marked: all, follows: false });
  const rest = pane.next === null ? '' : ', only loaded rows';
  return withNotice(next, 'dim', `${counted(all.size, 'row')} marked${rest}`);
}

export function unmarked(state: State): Step {
  return withMarkedCount(withCurrentPane(state, { ...currentPane(state), marked: NONE }), 0);
}

function withMarkedCount(state: State, count: number): Step {
  const text =
    count === 0 ? 'No row is marked' : `${counted(count, 'row')} marked: press a for what can be done`;
  return withNotice(state, 'dim', text);
}
