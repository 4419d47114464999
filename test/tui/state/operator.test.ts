/** The inspector asks once for the operator's name, before the first search that the access log records. */
import { expect, test } from 'vitest';
import { mayReadVaults } from '../../../src/nouns/search/facts.ts';
import { announce } from '../../../src/tui/linear-inspect.ts';
import { drawState } from '../../support/frames.tsx';
import { Inspector } from './states.ts';

const nameless = () => Inspector.loaded(3, { operator: undefined });
const searches = (it: Inspector) => it.loads().flatMap(({ filter }) => (filter === '' ? [] : [filter]));

test('search: asks for the name first, once', () => {
  const it = nameless().press('/').type('Jane Doe').press('enter');
  expect(it.state.overlay).toMatchObject({ kind: 'operator', search: 'Jane Doe' });
  expect(searches(it)).toEqual([]);
  expect(drawState(it.state).lines.join('\n')).toContain('The access log records who searches');

  it.type('Ada').press('enter');
  expect(it.state).toMatchObject({ operator: 'Ada', overlay: undefined });
  expect(searches(it)).toEqual(['Jane Doe']);

  it.answer().press('/', 'ctrl-u').type('Roe').press('enter');
  expect(searches(it)).toEqual(['Jane Doe', 'Roe']);
});

test('search: escape leads back to the typed text, and nothing is searched', () => {
  const it = nameless().press('/').type('doe').press('enter', 'escape');
  expect(it.state.overlay).toMatchObject({ kind: 'filter', line: { text: 'doe' } });
  it.press('escape');
  expect(it.state.overlay).toBeUndefined();
  expect(it.pane.filter).toBe('');
  expect(searches(it)).toEqual([]);
});

test('search: an empty or a bad name is refused with the reason, and what was typed stays', () => {
  const it = nameless().press('/').type('doe').press('enter', 'enter');
  expect(it.state.overlay).toMatchObject({ problem: 'Your name is needed' });
  it.type('x'.repeat(101)).press('enter');
  expect(it.state.overlay).toMatchObject({
    problem: expect.stringContaining('1 to 100 characters') as string,
  });
  expect(it.state.overlay).toMatchObject({ line: { text: 'x'.repeat(101) } });
  expect(it.state.operator).toBeUndefined();
});

test('palette: a search asks, too, and then opens its screen', () => {
  const it = nameless().press(':').type('find Jane Doe').press('enter');
  expect(it.state.overlay).toMatchObject({ kind: 'operator', place: { screen: 'found' } });
  it.type('Ada').press('enter');
  expect(it.loads().at(-1)).toMatchObject({ place: { screen: 'found' }, filter: 'Jane Doe' });
  const left = nameless().press(':').type('find Jane Doe').press('enter', 'escape');
  expect(left.state.overlay).toBeUndefined();
  expect(searches(left)).toEqual([]);
});

test.each(['tag:vip', 'fp_id_7p793EF07xKXHqAeg5VGPj', 'status:none label:"good"', ''])(
  'search: “%s” reads no vault, so nobody is asked',
  (text) => {
    const it = nameless().press('/').type(text).press('enter');
    expect(it.state.overlay).toBeUndefined();
    expect(mayReadVaults(text)).toBe(false);
  },
);

test.each(['doe', 'tag:vip doe', 'name:doe', 'dob:1990-01-01 tag:vip', 'fp_id_ doe', 'tag: doe', 'vip:doe'])(
  'mayReadVaults: “%s” may',
  (text) => {
    expect(mayReadVaults(text)).toBe(true);
  },
);

test('linear: the question is said, with its problem and the given name', () => {
  const it = nameless().press('/').type('doe');
  const before = it.state;
  it.press('enter');
  expect(announce(before, it.state).join('\n')).toContain('Your name: type, enter searches');
  const asked = it.state;
  it.press('enter');
  expect(announce(asked, it.state)).toContain('Your name is needed');
  it.type('Ada');
  const typed = it.state;
  it.press('enter');
  expect(announce(typed, it.state)).toContain('Your name: Ada');
});
