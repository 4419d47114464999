/** What the words of the palette mean, and that what they don't mean is an error. */
import { expect, test } from 'vitest';
import { screens } from '../../../src/tui/screens/registry.ts';
import { Inspector } from './states.ts';

test('palette: review means the queue where no hit is selected', () => {
  const it = Inspector.loaded(3).press(':').type('review').press('enter');
  expect(it.state.views.at(-1)?.place.screen).toBe('reviews');
});

test.each(['queue xyz', 'clock xyz', 'snapshots abc', 'review xyz'])(
  'palette: %s is an error, and a second enter opens no row',
  (text) => {
    const it = Inspector.loaded(3).press(':').type(text).press('enter', 'enter');
    expect(it.state.views).toHaveLength(1);
    expect(it.state).toMatchObject({ overlay: { kind: 'palette' }, notice: { tone: 'bad' } });
    it.type('x');
    expect(it.state).toMatchObject({ overlay: { line: { text: 'x' } }, notice: undefined });
  },
);

test.each(['find', 'search', 'Search '])('palette: %s alone opens an empty search line', (text) => {
  const it = Inspector.loaded(3).press(':').type(text).press('enter').answer();
  expect(it.state.views.at(-1)?.place.screen).toBe('found');
  expect(it.pane.filter).toBe('');
  expect(it.state.overlay).toMatchObject({ kind: 'filter', line: { text: '' } });
  it.press('escape').press(':').type(text).press('enter');
  expect(it.state.overlay, 'also on that screen').toMatchObject({ kind: 'filter', line: { text: '' } });
});

test('palette: a name of two words takes a search, and the panes of a case are found by name', () => {
  const it = Inspector.loaded(3).press(':').type('access log ada').press('enter').answer();
  expect(it.state.views.at(-1)?.place.screen).toBe('access');
  expect(it.pane.filter).toBe('ada');
  const place = { screen: 'entity', params: { kind: 'user', fp_id: 'fp_id_1' } } as const;
  const page = Inspector.loaded(3, { start: place });
  page.press(':').type('signals').press('enter').answer();
  expect(page.state.views).toHaveLength(1);
  const { place: here, pane } = page.state.views[0] ?? { place, pane: 0 };
  expect(screens[here.screen].panes[pane]?.title).toBe('Signals');
});

test('palette: a search of the list that is shown stays in it, and another place keeps its own', () => {
  const it = Inspector.loaded(3).press(':').type('users Doe').press('enter').answer();
  expect(it.state.views).toHaveLength(1);
  expect(it.pane.filter).toBe('Doe');
  it.press(':').type('Roe').press('enter').answer();
  expect(it.state.views.map(({ panes }) => panes[0]?.filter)).toEqual(['Doe', 'Roe']);
  expect(JSON.stringify(it.state.views.map(({ place }) => place))).not.toContain('oe"');
  it.press('escape', 'escape').answer();
  expect(
    it.state.views.map(({ panes }) => panes[0]?.filter),
    'escape shows all, then goes back',
  ).toEqual(['Doe']);
});

test('palette: typing goes back to the first entry', () => {
  const it = Inspector.loaded(3).press(':').type('s').press('down', 'down');
  expect(it.state.overlay).toMatchObject({ selected: 2 });
  expect(it.type('e').state.overlay).toMatchObject({ selected: 0 });
});
