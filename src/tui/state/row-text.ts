/** The selected row in full, as lines: each heading with its whole text. */
import { displayWidth, padded, printable, shownLines, wrapped } from '../../kernel/terminal-text.ts';
import { screens } from '../screens/registry.ts';
import { hasHeadings } from './geometry.ts';
import type { State } from './model.ts';
import { currentView, selectedRow } from './reading.ts';
import { textOf } from './rows.ts';

/** With more lines than this, a value would be hard to read. */
const MOST_LINES = 500;
const INDENT = '  ';

export function rowLines(state: State, columns = state.size.columns): readonly string[] {
  const view = currentView(state);
  const definition = screens[view.place.screen].panes[view.pane];
  const row = selectedRow(state);
  if (definition === undefined || row === undefined) return [];
  const texts = row.cells.map((cell) => textOf(cell));
  const named = hasHeadings(definition)
    ? definition.columns.map(({ heading }, at) => [heading, texts[at] ?? ''] as const)
    : [[printable(texts[0]), texts.slice(1).join(' ')] as const];
  const names = Math.min(24, Math.max(...named.map(([name]) => displayWidth(name))));
  const room = Math.max(10, columns - names - 2 * INDENT.length - 1);
  return named
    .flatMap(([name, text]) =>
      shownLines(text)
        .flatMap((line) => wrapped(line, room))
        .map((line, at) => `${INDENT}${padded(at === 0 ? name : '', names)}${INDENT}${line}`),
    )
    .slice(0, MOST_LINES);
}
