/** While a search runs, no key acts on a row of the search before. */
import { expect, test } from 'vitest';
import type { Row } from '../../../src/tui/state/model.ts';
import { currentView } from '../../../src/tui/state/reading.ts';
import { drawState } from '../../support/frames.tsx';
import { aRow, Inspector } from './states.ts';

function searchFor(it: Inspector, text: string): Inspector {
  return it.press('/', 'ctrl-u', ...Array.from(text), 'enter');
}

const stroman = (serial: number, changes: Partial<Row> = {}) =>
  aRow(serial, { id: `stroman ${serial}`, ...changes });

const screenOf = (it: Inspector) => currentView(it.state).place.screen;
const footOf = (it: Inspector) => drawState(it.state).lines.at(-1) ?? '';

test('search: while it runs the title says so, and the rows of before are not selected', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  const { lines, text } = drawState(it.state);
  expect(lines[1]).toBe('Users · searching …');
  expect(text).toContain('fp_id_00000');
  expect(text).not.toContain('> fp_id');
  expect(footOf(it)).toContain('Searching …');
  it.answer();
  expect(drawState(it.state).text).not.toContain('earching');
});

test.each([
  ['enter'],
  ['i'],
  ['l'],
  ['j', 'enter'],
  ['m'],
  ['x'],
  ['y'],
  ['Y'],
  ['space'],
  ['*'],
  ['a', 'enter'],
  ['d'],
])(
  'search: %j pressed twice while it runs acts on nothing of the search before, and nothing is found',
  (...keys) => {
    const it = searchFor(Inspector.loaded(5), 'zzzzq');
    it.press(...keys, ...keys);
    expect([screenOf(it), it.state.overlay, it.asked.filter(({ type }) => type !== 'load')]).toEqual([
      'users',
      undefined,
      [],
    ]);
    it.all = [];
    it.answer();
    expect([screenOf(it), it.state.overlay, it.state.held]).toEqual(['users', undefined, []]);
    expect(drawState(it.state).text).toMatch(/Nothing matches\. The keys/);
  },
);

test('search: enter typed ahead opens the one person that is found', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  it.press('enter', 'enter');
  expect(footOf(it)).toContain('your keys wait; escape drops them');
  it.all = [stroman(77, { opens: { screen: 'entity', params: { fp_id: 'fp_id_00077', kind: 'user' } } })];
  it.answer();
  expect(currentView(it.state).place).toMatchObject({ screen: 'entity', params: { fp_id: 'fp_id_00077' } });
});

test('search: of several that are found none is opened by a key typed ahead', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  it.press('enter');
  it.all = [stroman(50), stroman(51)];
  it.answer();
  expect(screenOf(it)).toBe('users');
  expect(drawState(it.state).text).toMatch(/2 rows: choose one\. The keys/);
});

test('search: text typed ahead goes into the form of the one person, and confirms nothing', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  it.press('m', 'enter', 'enter', 'y', 'y');
  it.all = [stroman(77)];
  it.answer();
  expect(it.state.overlay).toMatchObject({ kind: 'confirm', subject: { fp_id: 'fp_id_00077' } });
  expect(it.asked.filter(({ type }) => type === 'perform')).toEqual([]);
});

test('search: one that fails leaves no row of the search before', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  const { id, panes } = currentView(it.state);
  const generation = panes[0]?.generation ?? 0;
  it.press('enter');
  it.send({ type: 'load_failed', view: id, pane: 0, generation, problem: 'The daemon is busy' });
  it.press('enter');
  expect(screenOf(it)).toBe('users');
  expect(drawState(it.state).text).not.toContain('fp_id_00000');
});

test('search: escape drops what was typed ahead, and then the search', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  it.press('enter', 'escape');
  expect([it.state.held, currentView(it.state).panes[0]?.filter]).toEqual([[], 'stroman']);
  it.press('escape');
  expect(currentView(it.state).panes[0]?.filter).toBe('');
});

test('search: a click on a row of the search before opens nothing', () => {
  const it = searchFor(Inspector.loaded(5), 'stroman');
  for (const _ of [1, 2]) it.send({ type: 'click', line: 4, column: 3, now: it.state.now });
  expect(screenOf(it)).toBe('users');
});

test('search: by name, on the screen that shows the search before, too', () => {
  const it = Inspector.loaded(5);
  it.press(':', ...Array.from('find doe'), 'enter').answer();
  it.press(':', ...Array.from('find stroman'), 'enter', 'enter', 'enter');
  expect(screenOf(it)).toBe('found');
  it.all = [];
  it.answer();
  expect(screenOf(it)).toBe('found');
});
