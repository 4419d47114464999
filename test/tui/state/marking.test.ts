/** Marked rows, and one action for all of them. */
import { expect, test } from 'vitest';
import { aRow, Inspector } from './states.ts';

const performed = (it: Inspector) => it.asked.filter(({ type }) => type === 'perform').at(-1);

test('marks: space marks and goes on, again it unmarks, * marks all, escape none', () => {
  const it = Inspector.loaded(4).press('space', 'space');
  expect([...it.pane.marked]).toEqual(['fp_id_00000', 'fp_id_00001']);
  expect(it.pane.selected).toBe(2);
  it.press('k', 'space');
  expect([...it.pane.marked]).toEqual(['fp_id_00000']);
  it.press('escape');
  expect(it.pane.marked.size).toBe(0);
  it.press('*');
  expect(it.pane.marked.size).toBe(4);
  it.press('*');
  expect(it.pane.marked.size).toBe(0);
});

test('marks: an action is done for each, names each, and never for the row that is only selected', () => {
  const it = Inspector.loaded(4);
  it.all = it.all.map((row, at) => ({ ...row, who: `P*** ${at}` }));
  it.press('R').answer().press('space', 'space', 'G', 'T').type('wave 2').press('enter', 'enter');
  expect(it.state.overlay).toMatchObject({
    kind: 'confirm',
    lines: [
      'P*** 0: fp_id_00000 gets the tag “wave 2”.',
      'P*** 1: fp_id_00001 gets the tag “wave 2”.',
      'Lists show it to everyone.',
      expect.stringContaining('The access log has it with the name') as string,
    ],
  });
  it.press('y');
  expect(performed(it)).toMatchObject({
    action: 'tag',
    marked: [{ subject: { fp_id: 'fp_id_00000' } }, { subject: { fp_id: 'fp_id_00001' } }],
    values: { tag: 'wave 2' },
  });
});

test('question: names the person of an event, as its row does', () => {
  const it = Inspector.loaded(2);
  it.all = it.all.map((row, at) => ({
    ...row,
    who: `P*** ${at}`,
    subject: { kind: 'event', event_id: `evt_${at}`, webhook_id: 'whk_1' },
  }));
  it.press('R').answer().press('j', 'r');
  expect(it.state.overlay).toMatchObject({ kind: 'confirm', who: 'P*** 1', subject: { event_id: 'evt_1' } });
});

test('marks: how it went is said row by row, and what failed stays marked', () => {
  const it = Inspector.loaded(3).press('*', 'T').type('a').press('enter', 'enter', 'y');
  const effect = performed(it);
  if (effect?.type !== 'perform') throw new Error('nothing was done');
  const { view, pane } = effect;
  const results = ['fp_id_00000', 'fp_id_00001', 'fp_id_00002'].map((key, at) => ({
    key,
    text: key,
    isDone: at !== 1,
  }));
  it.send({ type: 'done_many', view, pane, title: 'Tag', results }).answer();
  expect([...it.pane.marked]).toEqual(['fp_id_00001']);
  expect(it.state.overlay).toMatchObject({ kind: 'results', title: 'Tag: 2 of 3 done', results });
  expect(it.state.busy).toBeUndefined();
  it.press('escape');
  expect(it.state.overlay).toBeUndefined();
});

test('marks: several rows about one person are not one action done several times', () => {
  const it = Inspector.loaded(3);
  const [first] = it.all;
  it.all = it.all.map((row, at) => (at < 2 && first?.subject ? { ...row, subject: first.subject } : row));
  it.press('R').answer().press('space', 'space', 'T');
  expect(it.state.overlay).toMatchObject({ kind: 'form', marked: [{ subject: first?.subject }] });
});

test('marks: what can be done for one alone, or not for each, is not begun', () => {
  const it = Inspector.loaded(3).press('space', 'space', 'o');
  expect(it.state.overlay).toBeUndefined();
  expect(it.state.notice?.text).toMatch(/^Run an onboarding: one row at a time only, and 2 rows marked/);
  it.press('-');
  expect(it.state.overlay).toBeUndefined();
  expect(it.state.notice?.text).toMatch(/^Not possible for 2 of 2 rows marked: Select a tag/);
});

test('marks: of rows that are gone none is left, nor acted on', () => {
  const it = Inspector.loaded(3).press('*');
  it.all = [aRow(1), aRow(7)];
  it.press('R').answer();
  expect([...it.pane.marked]).toEqual(['fp_id_00001']);
});

test('sort: a list of up to a thousand is loaded whole for it, of a longer one it says what is sorted', () => {
  const short = Inspector.loaded(250).press('s').answer();
  expect(short.state.notice?.text).toBe('Sorted by USER, all 250');
  expect(short.shown).toHaveLength(250);
  short.press('S').answer();
  expect(short.shown[0]?.id).toBe('fp_id_00249');
  const long = Inspector.loaded(1500).press('s').answer();
  expect(long.state.notice?.text).toMatch(/^Sorted by USER, only the 100 loaded rows/);
});

test('menu: a offers what can be done here and nothing else, and does it', () => {
  const it = Inspector.loaded(2).press('a').type('tag').press('enter');
  expect(it.state.overlay).toMatchObject({ kind: 'form', action: 'tag' });
});

test('marks: of endpoints that are enabled and disabled the question says what follows for both', () => {
  const thing = (id: string, isEnabled: boolean) =>
    ({ kind: 'thing', what: 'webhook', id, name: id, details: 'all', isEnabled }) as const;
  const it = new Inspector([
    aRow(1, { subject: thing('whk_1', true) }),
    aRow(2, { subject: thing('whk_2', false) }),
  ]);
  it.answer().press('*', 'e');
  const lines = it.state.overlay?.kind === 'confirm' ? it.state.overlay.lines : [];
  expect(lines).toHaveLength(4);
  expect(lines.slice(2)).toEqual([
    'A disabled endpoint gets nothing until it is enabled again.',
    'An enabled endpoint gets its events.',
  ]);
});

test('marks: the key that is used here is named when it can not be deleted', () => {
  const it = new Inspector([aRow(1, { subject: undefined })], { start: { screen: 'keys', params: {} } });
  it.answer().press('-');
  expect(it.state.notice?.text).toBe('Select an API key other than the one in use here first');
});
