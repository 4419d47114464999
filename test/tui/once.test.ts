/** A screen that is read once: its panes as text, and how the command prints them. */
import { expect } from 'vitest';
import { SCREENS, screenView } from '../../src/cli/inspect/inspect.ts';
import { PLAIN } from '../../src/cli/shell/output.ts';
import { readScreen } from '../../src/tui/index.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { aUser } from '../support/builders.ts';
import { test } from '../support/test-with.ts';
import { sourceOf } from './actions/a-source.ts';

const users = { screen: 'users', params: {} } as const;

test('readScreen: every pane with its first rows, masked, and what there is beyond them', async (service) => {
  for (let count = 0; count < 3; count += 1) await service.call('POST /users', { body: aUser() });
  const text = await readScreen(await sourceOf(service), users, { rows: 2 });
  expect(text).toMatchObject({ screen: 'users', title: 'Users' });
  expect(text.panes).toHaveLength(1);
  expect(text.panes[0]).toMatchObject({ title: 'Users', more: true, total: 3, banner: null, note: null });
  expect(text.panes[0]?.rows).toHaveLength(2);
  for (const value of Object.values(aUser()))
    expect(JSON.stringify(text)).not.toContain(JSON.stringify(value));
});

test('readScreen: an empty list says so', async (service) => {
  const text = await readScreen(await sourceOf(service), users, { rows: 2 });
  expect(text.panes[0]).toMatchObject({ rows: [], more: false, total: 0, note: 'No users' });
});

test('inspect --screen: takes the names of the palette, with dashes, and an earlier one', () => {
  const named = Object.entries(screens).flatMap(([name, { palette }]) =>
    palette === undefined ? [] : [[palette.name.replaceAll(' ', '-'), name]],
  );
  expect(
    SCREENS,
    'SCREENS of src/cli/inspect/inspect.ts has each palette entry of src/tui/screens/registry.ts',
  ).toEqual({ ...Object.fromEntries(named), 'clock-and-faults': 'clock' });
});

const aPane = {
  title: 'Documents',
  headings: ['KIND', 'STATUS', 'AT'],
  rows: [['passport', '-', 'noon\u001b[2J']],
  more: true,
  total: 7,
  banner: null,
  note: null,
  data: [],
};
const lines = (...panes: (typeof aPane | Parameters<typeof screenView>[0]['panes'][number])[]) =>
  screenView({ screen: 'entity', title: 'User x', panes }, PLAIN).split('\n');

test('screenView: one pane is its table alone, columns where nothing stands left out, controls as escapes', () => {
  expect(lines(aPane)).toEqual(['KIND      AT', 'passport  noon\\x1b[2J', 'The first 1 of 7']);
});

test('screenView: several panes stand under their titles, an empty one with its line', () => {
  const facts = { ...aPane, headings: ['', ''], rows: [['id', 'x']], more: false };
  const empty = { ...aPane, rows: [], more: false, note: 'No documents' };
  expect(lines({ ...facts, title: 'Overview', banner: '▁▂' }, empty)).toEqual([
    'User x',
    '',
    'Overview',
    '▁▂',
    'id  x',
    '',
    'Documents',
    'No documents',
  ]);
});

test('screenView: rows beyond the first are mentioned where there is no count', () => {
  expect(lines({ ...aPane, total: null }).at(-1)).toBe('The first 1; there are more');
});
