import { expect, test } from 'vitest';
import type { PaneState } from '../../../src/tui/state/model.ts';
import { EMPTY_PANE } from '../../../src/tui/state/panes.ts';
import { shownRows, textOf } from '../../../src/tui/state/rows.ts';

function ordered(texts: readonly string[], descending = false): string[] {
  const rows = texts.map((text, index) => ({ key: String(index), cells: [text] }));
  const pane: PaneState = { ...EMPTY_PANE, rows, sort: { column: 0, descending } };
  return shownRows(pane, false).map(({ cells }) => textOf(cells[0]));
}

test.each([
  [
    'amounts by their worth',
    ['1,234.00', '999.50', '-2,000.00', '+10.00'],
    ['-2,000.00', '+10.00', '999.50', '1,234.00'],
  ],
  ['amounts of one currency', ['1,234.00 USD', '999.00 USD'], ['999.00 USD', '1,234.00 USD']],
  ['amounts of several by text', ['5.00 USD', '7.00 EUR'], ['5.00 USD', '7.00 EUR']],
  ['names as text, numbers in them as numbers', ['user 10', 'user 9', 'Ann'], ['Ann', 'user 9', 'user 10']],
])('sort: %s', (_, texts, sorted) => {
  expect(ordered(texts)).toEqual(sorted);
  expect(ordered(texts, true)).toEqual(sorted.toReversed());
});
