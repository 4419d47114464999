/** The line of panes, for drawing and for clicks. */
import { displayWidth } from '../../kernel/text/terminal-text.ts';
import type { PaneDefinition } from '../screens/definition.ts';
import { screens } from '../screens/registry.ts';
import { hasHeadings } from './geometry.ts';
import type { PaneState, State } from './model.ts';
import { currentView } from './reading.ts';

const LEFT_OUT_BEFORE = '‹ ';
const LEFT_OUT_AFTER = ' ›';

/**
 * The panes by name, with the number of entries for lists, and the texts around them. If not all fit, those around the
 * current pane.
 */
export function tabsOf(state: State) {
  const view = currentView(state);
  const names = screens[view.place.screen].panes.map((definition, at) => {
    const name = tabName(definition, view.panes[at]);
    return at === view.pane ? `[${name}]` : ` ${name} `;
  });
  const width = (from: number, to: number) =>
    names.slice(from, to).reduce((sum, name) => sum + displayWidth(name), 0);
  const room = state.size.columns - displayWidth(LEFT_OUT_BEFORE) - displayWidth(LEFT_OUT_AFTER);
  let first = view.pane;
  let end = view.pane + 1;
  while (first > 0 && width(first - 1, end) <= room) first -= 1;
  while (end < names.length && width(first, end + 1) <= room) end += 1;
  const before = first > 0 ? LEFT_OUT_BEFORE : '';
  const shown = names.slice(first, end).map((text, index) => {
    const from = displayWidth(before) + width(first, first + index);
    // The first cell, and the cell after the last, counted from the left.
    return { at: first + index, text, from, to: from + displayWidth(text) };
  });
  return { shown, before, after: end < names.length ? LEFT_OUT_AFTER : '' };
}

/** The title of a pane, with the number of entries of a list. */
export function tabName(definition: PaneDefinition, pane: PaneState | undefined): string {
  const count = hasHeadings(definition) ? countOf(pane) : '';
  return definition.title + (count === '' ? '' : ` ${count}`);
}

/** `11` or `100+`. A `!` after it means that a reload failed; `!` alone means that the pane was never loaded. */
function countOf(pane: PaneState | undefined): string {
  if (pane === undefined || pane.isGone) return '';
  const { rows, next, total, isKnown: wasLoaded, problem } = pane;
  const isKnown = rows.length > 0 || (problem === undefined && wasLoaded);
  const count = isKnown ? String(total ?? `${rows.length}${next === null ? '' : '+'}`) : '';
  return [count, problem === undefined ? '' : '!'].filter((part) => part !== '').join(' ');
}
