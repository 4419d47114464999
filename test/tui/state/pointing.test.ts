/** Mouse clicks, with their line and column from the top left. */
import { expect, test } from 'vitest';
import { drawState } from '../../support/frames.tsx';
import { currentView } from '../../../src/tui/state/reading.ts';
import { Inspector, rows } from './states.ts';

const click = (line: number, column = 5) => ({ type: 'click', line, column, now: 0 }) as const;

/** Returns the line of the window that contains a text. */
function lineOf(it: Inspector, text: string): number {
  const at = drawState(it.state).lines.findIndex((line) => line.includes(text));
  expect(at, text).toBeGreaterThanOrEqual(0);
  return at;
}

test('click: selects the row that is drawn there, also in a list that was scrolled, and opens it the second time', () => {
  const it = Inspector.loaded(90).press('pagedown', 'pagedown').answer();
  const aim = it.shown[it.pane.top + 3];
  const place = lineOf(it, aim?.id ?? '');
  it.send(click(place));
  expect(it.selected).toBe(aim);
  expect(it.state.views).toHaveLength(1);
  it.send(click(place));
  expect(currentView(it.state).place.screen).toBe('businesses');
});

test('click: shows the pane whose name it hits', () => {
  const it = Inspector.loaded(3).press(':').type('clock').press('enter').answer();
  const line = lineOf(it, 'Faults');
  const text = drawState(it.state).lines[line] ?? '';
  it.send(click(line, text.indexOf('Faults') + 1)).answer();
  expect(drawState(it.state).lines[line]).toContain('[Faults');
});

test('click: beside the rows, in a window that is too small and under what is open it does nothing', () => {
  const it = Inspector.loaded(3);
  const others = [0, 1, 2, lineOf(it, it.shown[2]?.id ?? '') + 1, 23, 500];
  const before = { ...it.state, notice: undefined };
  for (const line of others) expect({ ...it.send(click(line)).state }).toEqual(before);
  const row = lineOf(it, it.shown[2]?.id ?? '');
  it.press('?').send(click(row));
  expect(it.pane.selected).toBe(0);
  it.press('escape')
    .send({ type: 'resized', size: { columns: 20, rows: 9 } })
    .send(click(row));
  expect(it.pane.selected).toBe(0);
  it.send({ type: 'resized', size: { columns: 80, rows: 24 } }).send(click(row));
  expect(it.pane.selected).toBe(2);
});

test('sort: a pane beside the current one loads the rows that it lacks', () => {
  const it = new Inspector(rows(2_000), {}, { columns: 80, rows: 90 }).connect().answer();
  it.press(':').type('clock').press('enter').answer();
  const sort = { column: 0, descending: false };
  it.send({ type: 'pointed', act: { kind: 'sort', pane: 1, sort }, now: 0 }).answer();
  expect(it.pane).toMatchObject({ sort, loading: undefined });
  expect(it.pane.rows).toHaveLength(200);
});
