/** Forms, questions, the palette, copies and revealed values. The actions are examples for all others. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { actions } from '../../../src/tui/actions/registry.ts';
import type { ActionDefinition } from '../../../src/tui/actions/definition.ts';
import type { ActionName, FieldDefinition, Form, Subject } from '../../../src/tui/state/model.ts';
import { matches } from '../../../src/tui/state/palette.ts';
import { KEY_MAP } from '../../../src/tui/state/key-map.ts';
import { lineOf, typed } from '../../../src/tui/state/text-line.ts';
import { drawState } from '../../support/frames.tsx';
import { Inspector } from './states.ts';

const CANARY = 'canary-4711';
const FIELDS: readonly FieldDefinition[] = [
  { name: 'outcome', label: 'Outcome', kind: 'loaded', isRequired: true, initial: 'fail' },
  {
    name: 'reason',
    label: 'Reason',
    kind: 'text',
    isRequired: true,
    problem: (value) => (value === 'bad' ? 'Not that one' : undefined),
  },
  { name: 'note', label: 'Note', kind: 'text', isRequired: false },
];
const CHOICES = [
  { value: 'pass', label: 'Pass' },
  { value: 'fail', label: 'Fail' },
];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const ALL: readonly Mutable<ActionDefinition>[] = Object.values(actions);
const OWN = ALL.map(({ fields }) => ({ fields }));

beforeEach(() => {
  for (const action of ALL) {
    vi.spyOn(action, 'subject').mockImplementation((row) => row?.subject);
    vi.spyOn(action, 'confirm').mockImplementation((_subject, values) => [
      `It becomes ${values['outcome'] ?? ''}.`,
    ]);
    action.fields = () => FIELDS;
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const [index, action] of ALL.entries()) Object.assign(action, OWN[index]);
});

function choicesCome(it: Inspector, subject: Subject | undefined = it.selected?.subject): void {
  if (subject === undefined) throw new Error('no row is selected');
  it.send({ type: 'choices', action: 'decide', subject, field: 'outcome', choices: CHOICES });
}

function overlayOf(it: Inspector) {
  return it.state.overlay;
}

test('form: asks one thing after the other, goes back without losing any, and does it after y alone', () => {
  const it = Inspector.loaded(3).press('j', 'd');
  expect(it.asked.at(-1)).toMatchObject({ type: 'load_choices', field: 'outcome' });
  it.press('enter');
  expect(overlayOf(it), 'nothing is agreed to before it is there').toMatchObject({ at: 0, values: {} });
  it.press('escape');
  choicesCome(it);
  expect(overlayOf(it), 'what stands there at first').toMatchObject({ selected: 1 });
  it.press('k', 'enter', 'enter');
  expect(overlayOf(it)).toMatchObject({ at: 1, problem: 'Reason is needed' });
  it.type('bad').press('enter');
  expect(overlayOf(it)).toMatchObject({ at: 1, problem: 'Not that one' });
  it.press('ctrl-u').type('a case').press('enter', 'shift-tab');
  expect(overlayOf(it)).toMatchObject({ at: 1, line: { text: 'a case', cursor: 6 } });
  it.press('enter', 'enter');
  expect(overlayOf(it)).toMatchObject({ kind: 'confirm', lines: ['It becomes pass.'] });
  it.press('enter', 'space', 'x');
  expect(overlayOf(it)?.kind).toBe('confirm');
  it.press('y');
  const values = { outcome: 'pass', reason: 'a case', note: '' };
  expect(it.asked.at(-1)).toMatchObject({
    type: 'perform',
    operator: 'Ada',
    action: 'decide',
    subject: it.selected?.subject,
    values,
    form: expect.objectContaining({ at: 2, values }) as Form,
  });
  expect(it.state.busy).toBe(actions.decide.label);
  it.press('d');
  expect(it.state.notice?.text).toMatch(/^Still running/);
});

test('form: keys typed while choices load wait for them, and confirm nothing', () => {
  const it = Inspector.loaded(3).press('d', 'up', 'enter').type('a case').press('enter', 'enter', 'y');
  expect(overlayOf(it)).toMatchObject({ kind: 'form', at: 0, values: {} });
  expect(drawState(it.state).lines.at(-1)).toContain('your keys wait; escape drops them');
  choicesCome(it);
  expect(overlayOf(it)).toMatchObject({
    kind: 'confirm',
    values: { outcome: 'pass', reason: 'a case', note: '' },
  });
  expect(it.state.notice?.text).toMatch(/confirm nothing/);
  it.press('y');
  expect(it.asked.at(-1)).toMatchObject({ type: 'perform' });
});

test('form: it stays with its text while the daemon is lost, and nothing is sent until it is back', () => {
  const it = Inspector.loaded(3).press('d');
  choicesCome(it);
  it.press('enter').type('a case').lose();
  it.type('s');
  expect(overlayOf(it)).toMatchObject({ kind: 'form', line: { text: 'a cases' } });
  it.press('enter', 'enter', 'y');
  expect(overlayOf(it)).toMatchObject({ kind: 'confirm', values: { reason: 'a cases' } });
  expect(drawState(it.state).lines.at(-1)).toContain('The daemon was lost, so nothing was sent');
  expect(it.asked.some(({ type }) => type === 'perform')).toBe(false);
  it.connect().press('y');
  expect(it.asked.at(-1)).toMatchObject({ type: 'perform', values: { reason: 'a cases' } });
});

test('form: choices that the lost daemon did not give are loaded when it is back', () => {
  const it = Inspector.loaded(3).press('d').lose();
  it.connect();
  expect(it.asked.at(-1)).toMatchObject({ type: 'load_choices', field: 'outcome' });
});

test('form: escape drops the keys that wait, and then closes it', () => {
  const it = Inspector.loaded(3).press('d', 'enter', 'q', 'escape');
  expect(overlayOf(it)).toMatchObject({ kind: 'form', held: [] });
  it.press('escape');
  expect(overlayOf(it)).toBeUndefined();
});

test('form: what was typed is there again when the action fails, with what was wrong', () => {
  const it = Inspector.loaded(3).press('d');
  choicesCome(it);
  it.press('enter').type('a case').press('enter').type('a note').press('enter', 'y');
  const effect = it.asked.at(-1);
  const form = effect?.type === 'perform' ? effect.form : undefined;

  it.send({ type: 'failed', problem: 'The daemon is lost', form });
  expect(overlayOf(it)).toMatchObject({ kind: 'form', at: 2, problem: 'The daemon is lost' });
  expect(it.state.busy).toBeUndefined();
  it.press('shift-tab');
  expect(overlayOf(it)).toMatchObject({ at: 1, line: { text: 'a case' } });
  it.press('enter', 'enter', 'y');
  expect(it.asked.at(-1)).toMatchObject({ type: 'perform', values: { reason: 'a case', note: 'a note' } });
});

test('form: whoever has gone on in between only reads that it failed', () => {
  const it = Inspector.loaded(3).press('d');
  choicesCome(it);
  it.press('enter').type('a case').press('enter', 'enter', 'y');
  const effect = it.asked.at(-1);
  const form = effect?.type === 'perform' ? effect.form : undefined;
  it.press('j').send({ type: 'failed', problem: 'It failed', form });
  expect(overlayOf(it)).toBeUndefined();
  expect(it.state).toMatchObject({ busy: undefined, notice: { tone: 'bad', text: 'It failed' } });
});

test('form: choices that come for another one are none of this one', () => {
  const it = Inspector.loaded(3).press('d', 'escape', 'j', 'd');
  choicesCome(it, it.shown[0]?.subject);
  expect(overlayOf(it)).toMatchObject({ fields: [{ name: 'outcome' }, {}, {}] });
  expect(overlayOf(it)).not.toHaveProperty('fields.0.choices');
});

test.each(['n', 'q', 'escape'])('confirm: %s does nothing', (key) => {
  const it = Inspector.loaded(1).press('d');
  choicesCome(it);
  it.press('enter').type('r').press('enter', 'enter', key);
  expect(it.asked.some(({ type }) => type === 'perform')).toBe(false);
  expect(it.state.notice?.text).toBe('Nothing was done');
});

test('readonly: no key and no word of the palette begins an action', () => {
  const changing = KEY_MAP.filter(({ changes }) => changes);
  for (const { keys, command } of changing) {
    const it = Inspector.loaded(1, { isReadonly: true }).press(keys[0] ?? '');
    expect(overlayOf(it), command).toBeUndefined();
    expect(it.state.notice?.text).toMatch(/^--readonly is on/);
    expect(matches(command, true).some((entry) => 'command' in entry && entry.command === command)).toBe(
      false,
    );
    it.press(':').type(command).press('enter');
    expect(it.asked.some(({ type }) => type === 'perform' || type === 'load_choices')).toBe(false);
  }
});

function revealed(it: Inspector, subject = it.selected?.subject): Inspector {
  if (subject === undefined) throw new Error('no row');
  it.state = { ...it.state, busy: 'reveal' };
  return it.send({
    type: 'revealed',
    now: 100,
    revealed: { subject, title: 'id.ssn9', values: [CANARY], top: 0, hidesAt: 20_100 },
  });
}

test.each<[string, (it: Inspector) => unknown]>([
  ['another row is selected', (it) => it.press('j')],
  ['x is pressed again', (it) => it.press('x')],
  ['escape is pressed', (it) => it.press('escape')],
  ['a row is opened', (it) => it.press('enter')],
  ['another screen is opened', (it) => it.press(':').type('businesses').press('enter')],
  ['an action begins', (it) => it.press('d')],
  ['a filter leaves it out', (it) => it.press('/').type('zzz').press('enter').answer()],
  ['the list is sorted the other way round', (it) => it.press('S', 'S')],
  ['the user leaves', (it) => it.press('q')],
  ['the user leaves at once', (it) => it.press('ctrl-c')],
  ['the daemon is lost', (it) => it.lose()],
  ['its time is over', (it) => it.send({ type: 'tick', now: 20_100 })],
  ['its row is gone', (it) => ((it.all = []), it.press('R').answer())],
])('revealed: it goes when %s', (_when, act) => {
  const it = revealed(Inspector.loaded(30));
  expect(it.state.revealed?.values).toEqual([CANARY]);
  act(it);
  expect(it.state.revealed).toBeUndefined();
});

test('revealed: it stays until its time is over', () => {
  const it = revealed(Inspector.loaded(30)).send({ type: 'tick', now: 20_099 }).press('R').answer();
  expect(it.state.revealed?.values).toEqual([CANARY]);
});

test('revealed: what comes after the user has gone on is not shown', () => {
  const it = Inspector.loaded(5);
  const asked = it.selected?.subject;
  revealed(it.press('j'), asked);
  expect(it.state.revealed).toBeUndefined();
  expect(it.asked.some(({ type }) => type === 'count_down')).toBe(false);
});

test('revealed: what comes after the daemon was lost is not shown', () => {
  const it = Inspector.loaded(5);
  const subject = it.selected?.subject;
  if (subject === undefined) throw new Error('no row');
  it.lose();
  it.send({
    type: 'revealed',
    now: 1,
    revealed: { subject, title: 't', values: [CANARY], top: 0, hidesAt: 9 },
  });
  expect(it.state.revealed).toBeUndefined();
});

test('copy: the id, the command and the request, and never what is revealed', () => {
  const it = revealed(Inspector.loaded(3, { instance: 'other one' }));
  it.press('y', 'Y', 'c');
  const copies = it.asked.flatMap((effect) => (effect.type === 'copy' ? [effect.text] : []));
  expect(copies[0]).toBe('fp_id_00000');
  expect(copies[1]).toBe("kyclone users get fp_id_00000 --instance 'other one'");
  expect(copies[2]).toContain('/users/fp_id_00000');
  expect(copies.join()).not.toContain(CANARY);
  const copied = it.asked.flatMap((effect) => (effect.type === 'copy' ? [effect.what] : []));
  expect(copied).toHaveLength(3);
  expect(copied.join()).not.toContain(CANARY);
});

test('copy: a row without one says so', () => {
  const it = Inspector.loaded(0).press('y');
  expect(it.state.notice?.text).toBe('This row has no id to copy');
});

test('palette: what begins with the letters comes first, then what holds them, then what has them scattered', () => {
  const names = (text: string) => matches(text, false).map(({ name }) => name);
  expect(names('us')[0]).toBe('users');
  expect(names('bsn')).toContain('businesses');
  expect(names('zzz')).toEqual(['search']);
  expect(names('ann').indexOf('search'), 'before what only has the letters').toBe(0);
  expect(names('')).toContain('copy curl');
});

test.each([
  [
    'fp_id_7p793EF07xKXHqAeg5VGPj',
    { screen: 'entity', params: { fp_id: 'fp_id_7p793EF07xKXHqAeg5VGPj', kind: 'user' } },
  ],
  ['fp_bid_1', { screen: 'entity', params: { fp_id: 'fp_bid_1', kind: 'business' } }],
  ['evt_1', { screen: 'event', params: { event_id: 'evt_1' } }],
  ['req_1', { screen: 'request', params: { request_id: 'req_1' } }],
])('palette: %s opens what it names', (id, place) => {
  const it = Inspector.loaded(3).press(':').type(id).press('enter').answer();
  expect(it.state.views.at(-1)?.place).toEqual(place);
  expect(matches(`${id}\u0000`, false).map(({ name }) => name)).toEqual(['search']);
});

test.each([
  ['Doe', 'found', 'Doe'],
  ['(415) 555-0100', 'found', '(415) 555-0100'],
  ['find Doe', 'found', 'Doe'],
  ['users  Jane Doe', 'users', 'Jane Doe'],
  ['Businesses Acme', 'businesses', 'Acme'],
  ['user fp_id_1', 'users', 'fp_id_1'],
  ['dlv_7p793EF07xKXHqAeg5VGPj', 'found', 'dlv_7p793EF07xKXHqAeg5VGPj'],
  ['events completed', 'events', 'completed'],
  ['banks first', 'banks', 'first'],
])('palette: %s finds in %s', (text, screen, filter) => {
  const it = Inspector.loaded(3).press(':').type(text).press('enter');
  const view = it.state.views.at(-1);
  expect(view?.place).toEqual({ screen, params: {} });
  expect(view?.panes[0]?.filter).toBe(filter);
  expect(it.state.overlay).toBeUndefined();
  expect(it.loads().at(-1)).toMatchObject({ place: { screen }, filter });
});

test('palette: enter goes there, and escape leads back through everything visited', () => {
  const it = Inspector.loaded(3).press(':').type('events').press('enter').answer();
  it.press(':').type('requests').press('enter').answer();
  const visited = () => it.state.views.map(({ place }) => place.screen);
  expect(visited()).toEqual(['users', 'events', 'requests']);
  it.press(':').type('requests').press('enter').answer();
  expect(visited(), 'the place that is shown is not visited twice').toEqual(['users', 'events', 'requests']);
  it.press('escape', 'escape').answer();
  expect(visited()).toEqual(['users']);
  it.press('L').answer();
  expect(visited()).toEqual(['users', 'events']);
  it.press('L', 'L').answer();
  expect(visited()).toEqual(['users', 'events', 'requests']);
  expect(it.state.notice?.text).toBe('There is nothing to go forward to');
  it.press('escape', ':').type('snapshots').press('enter').answer().press('L');
  expect(visited()).toEqual(['users', 'events', 'snapshots']);
});

test('forward: a list that was read far down and left while more of it came can be read on', () => {
  const it = Inspector.loaded(2500).press(':').type('requests').press('enter').answer();
  for (let at = 0; at < 1200; at += 1) it.press('j').answer();
  it.press(...Array<string>(60).fill('j'));
  const late = it.loads().at(-1);
  expect(it.pane.loading).toBe('more');

  it.press('escape').answer().press('L');
  const before = it.state;
  if (late !== undefined) it.send(it.pageFor(late));
  expect(it.state, 'an answer to what was asked before').toBe(before);
  for (let at = 0; at < 60; at += 1) it.press('j').answer();
  expect(it.pane.rows.length).toBeGreaterThan(1300);
});

test('help: its last line can be reached', () => {
  const it = Inspector.loaded(1).press('?', 'G');
  expect(overlayOf(it)).toMatchObject({ kind: 'help' });
  it.press('q');
  expect(overlayOf(it)).toBeUndefined();
});

test('text line: what is typed stands at the cursor, by whole characters', () => {
  const press = (keys: readonly string[]) =>
    keys.reduce((line, key) => typed(line, key) ?? line, lineOf('a😀b'));
  expect(press(['left', 'backspace', 'ü'])).toEqual({ text: 'aüb', cursor: 2 });
  expect(press(['home', 'delete', 'delete'])).toEqual({ text: 'b', cursor: 0 });
  expect(press(['space', 'c', 'ctrl-w'])).toEqual({ text: 'a😀b ', cursor: 4 });
  expect(press(['left', 'ctrl-k'])).toEqual({ text: 'a😀', cursor: 2 });
  expect(press(['left', 'ctrl-u', 'pagedown'])).toEqual({ text: 'b', cursor: 0 });
});

test('actions: all of the key map are known', () => {
  const commands: readonly string[] = KEY_MAP.filter(({ changes }) => changes).map(({ command }) => command);
  const others = ['create', 'switch', 'menu', 'mark', 'mark_all'];
  const byName = matches('', false).flatMap((entry) => ('action' in entry ? [entry.action] : []));
  expect([...commands.filter((each) => !others.includes(each)), ...byName].toSorted()).toEqual(
    (Object.keys(actions) as ActionName[]).toSorted(),
  );
  expect(matches('', true).some((entry) => 'action' in entry)).toBe(false);
});

test('operator: asked once, before the first action that leaves a trace, and never by others', () => {
  const it = Inspector.loaded(3, { operator: undefined }).press('t');
  expect(overlayOf(it)).toMatchObject({ kind: 'form', fields: [{ name: 'outcome' }, {}, {}] });
  it.press('escape', 'd');
  expect(overlayOf(it)).toMatchObject({ kind: 'form', at: 0, fields: [{ label: 'Your name' }, {}, {}, {}] });
  it.type('a\u202eb').press('enter');
  expect(overlayOf(it)).toMatchObject({
    at: 0,
    problem: expect.stringContaining('100 characters') as string,
  });
  it.press('ctrl-u').type('Zoë').press('enter');
  choicesCome(it);
  it.press('enter').type('a case').press('enter', 'enter', 'y');
  expect(it.asked.at(-1)).toMatchObject({
    type: 'perform',
    operator: 'Zoë',
    values: { reason: 'a case', note: '' },
  });
  it.send({ type: 'done', notice: { tone: 'good', text: 'done' }, changes: false }).press('d');
  expect(overlayOf(it)).toMatchObject({ at: 0, fields: [{ name: 'outcome' }, {}, {}] });
});
