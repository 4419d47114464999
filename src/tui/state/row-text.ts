/** The selected row in full, as lines: each heading with its whole text. */
import { displayWidth, padded, printable, shownLines, wrapped } from '../../kernel/text/terminal-text.ts';
import { hasHeadings } from './geometry.ts';
import type { State } from './model.ts';
import { currentList, selectedRow } from './reading.ts';
import { textOf } from './rows.ts';

/** With more lines than this, a value would be hard to read. */
const MOST_LINES = 500;
const INDENT = '  ';

export function rowLines(state: State, columns = state.size.columns): readonly string[] {
  const { definition } = currentList(state);
  const row = selectedRow(state);
  if (row === undefined) return [];
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
