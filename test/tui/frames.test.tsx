/** What the inspector draws, as whole windows. */
import { drawState, expectFits, openApp, type OpenApp } from '../support/frames.tsx';
import { setTimeout as pause } from 'node:timers/promises';
import stringWidth from 'string-width';
import { expect } from 'vitest';
import { displayWidth } from '../../src/kernel/text/terminal-text.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import type { ConnectionState, ScreenPlace, Size, State } from '../../src/tui/state/model.ts';
import { aBusiness, aReadyUser, aUser } from '../support/builders.ts';
import { test } from '../support/test-with.ts';
import { sourceOf } from './actions/a-source.ts';
import { EMPTY_PANE } from '../../src/tui/state/panes.ts';
import { aQuestion, aRow, Inspector, rows } from './state/states.ts';

/** The smallest window, and one that is wider than the usual one. */
const SIZES: readonly Size[] = [
  { columns: 40, rows: 14 },
  { columns: 120, rows: 40 },
];
const CANARY = 'Wilhelmina';
const HOSTILE = 'a\u001b]0;title\u0007b\u001b[31mred\r\nnext\u202Eback\u0085';
const WIDE = '山田太郎 e\u0301 😀☕ 한국';

function draw(state: State, size: Size = state.size) {
  const drawn = drawState({ ...state, size });
  expectFits(drawn.raw, size);
  return drawn;
}

const SCREENS: readonly [string, ScreenPlace, readonly string[], RegExp][] = [
  ['users', { screen: 'users', params: {} }, [], /USER +NAME +STATUS/],
  ['users, moved', { screen: 'users', params: {} }, ['j', 'j', 'k'], /2 of 3/],
  ['businesses', { screen: 'businesses', params: {} }, [], /1 of 1/],
  ['help', { screen: 'users', params: {} }, ['?'], /next row/],
  ['help, its end', { screen: 'users', params: {} }, ['?', 'G'], /leave, even/],
  ['palette', { screen: 'users', params: {} }, [':', 'b', 'u'], /> businesses/],
  [
    'filter',
    { screen: 'users', params: {} },
    ['/', 'z', 'z', 'z', 'enter'],
    /Nothing matches the filter[^]*\/zz/,
  ],
  ['sorted', { screen: 'users', params: {} }, ['s'], /USER↑/],
];

for (const size of SIZES) {
  test(`frames: every screen fits ${size.columns}x${size.rows}`, async (service) => {
    for (let serial = 0; serial < 3; serial += 1) await service.user(aUser());
    await service.business(aBusiness());
    const source = await sourceOf(service);
    for (const [name, place, keys, shows] of SCREENS) {
      using app = openApp({ source, place, size });
      await app.until(/\d of \d/);
      await app.press(...keys);
      const text = await app.until(shows);
      expectFits(app.screen.raw(), size);
      expect(text, name).toContain('connected');
      expect(text, name).not.toContain(CANARY);
    }
  });
}

test('frames: the first line says where, the last what to press, and the selected row has a mark', async (service) => {
  const id = await service.user(aUser());
  using app = openApp({ source: await sourceOf(service), setup: { tenant: 'jane', isReadonly: true } });
  const text = await app.until(/1 of 1/);
  const lines = text.split('\n');
  expect(lines[0]).toMatch(
    /^kyclone {2}default {2}tenant jane {2}sandbox {2}read only {2}as Ada +connected$/,
  );
  expect(lines[1]).toBe('Users');
  expect(text).toContain(`> ${id}`);
  expect(lines.at(-1)).toMatch(/^enter open .* \? help {2}q leave +follows {2}1 of 1$/);
  expect(lines.at(-1)).not.toContain('reveal');
});

test('palette: shows its error while its line stays open', () => {
  const { text } = draw(Inspector.loaded(1).press(':', ...Array.from('quit now'), 'enter').state);
  expect(text).toMatch(/Nothing is called “quit now”[^]*\n:\|quit now/);
});

test('keys: arrows, vi keys and what is pasted are keys; enter opens and escape goes back', async (service) => {
  for (let serial = 0; serial < 5; serial += 1) await service.user(aUser());
  using app = openApp({ source: await sourceOf(service) });
  await app.until(/1 of 5/);
  await app.press('down', 'down', 'j', 'up');
  await app.until(/3 of 5/);
  await app.paste('jj');
  await app.until(/5 of 5/);
  await app.press('home');
  await app.until(/1 of 5/);
  await app.press('enter');
  expect(app.text()).toMatch(/Users › /);
  await app.press('escape');
  await app.until(/1 of 5/);
});

test('search: says as what the text was looked for, and by what each row was found', async (service) => {
  await service.user(aReadyUser({ 'id.ssn9': '618-45-6743' }));
  using app = openApp({ source: await sourceOf(service) });
  await app.until(/1 of 1/);
  await app.press('/');
  await app.enter('618-45-6743');
  expect(await app.until(/Looked for as .*tax number[^]*MATCHED/)).toMatch(/> fp_id_\w+ .* tax number /);
});

test('copy: y copies the id of the selected row, and says so', async (service) => {
  const id = await service.user(aUser());
  using app = openApp({ source: await sourceOf(service) });
  await app.until(/1 of 1/);
  await app.press('y');
  expect(app.copied).toEqual([id]);
  expect(app.text()).toContain(`Copied: ${id}`);
});

const OVER: Readonly<Record<string, Partial<State>>> = {
  form: {
    overlay: {
      kind: 'form',
      action: 'decide',
      subject: { kind: 'user', fp_id: HOSTILE },
      fields: [
        { name: 'a', label: 'First', kind: 'text', isRequired: true },
        {
          name: 'b',
          label: 'Second',
          kind: 'choice',
          isRequired: true,
          hint: `${WIDE} `.repeat(12),
          choices: Array.from({ length: 60 }, (_, at) => ({
            value: `${at}`,
            label: `choice ${at} ${HOSTILE}`,
          })),
        },
      ],
      at: 1,
      values: { a: HOSTILE },
      line: { text: '', cursor: 0 },
      selected: 41,
      problem: `A problem ${'that is long '.repeat(20)}`,
    },
  },
  typing: {
    overlay: { kind: 'filter', line: { text: `${HOSTILE}${WIDE.repeat(9)}`, cursor: 30 }, before: '' },
  },
  confirm: {
    overlay: aQuestion(Array.from({ length: 50 }, (_, at) => `${at} ${HOSTILE} ${WIDE.repeat(8)}`)),
  },
  results: {
    overlay: {
      kind: 'results',
      top: 0,
      title: `${HOSTILE}${WIDE.repeat(30)}`,
      results: Array.from({ length: 60 }, (_, at) => ({
        key: String(at),
        isDone: at % 2 === 0,
        text: `${at} ${HOSTILE} ${WIDE.repeat(40)}`,
      })),
    },
  },
  secret: {
    overlay: {
      kind: 'secret',
      title: HOSTILE,
      secret: `sk_test_${'x'.repeat(200)}`,
      lines: [HOSTILE, WIDE.repeat(60)],
    },
  },
  revealed: {
    revealed: {
      subject: { kind: 'user', fp_id: 'a' },
      title: HOSTILE,
      values: [`${HOSTILE} ${WIDE.repeat(99)}`],
      top: 0,
      hidesAt: 9000,
    },
  },
  lost: { connection: { kind: 'lost', why: HOSTILE } },
  'other version': { connection: { kind: 'other_version', daemon: `9.9${HOSTILE}`, own: '0.1.0' } },
  notice: { notice: { tone: 'bad', text: `${HOSTILE}${WIDE.repeat(30)}` } },
};

const aHostileState = () => {
  const it = Inspector.loaded(0);
  it.all = rows(60).map((row, at) =>
    at % 2 === 0
      ? row
      : {
          ...row,
          cells: row.cells.map((cell, column) => (column === 0 ? cell : column % 2 ? WIDE : HOSTILE)),
        },
  );
  return it.press('R').answer().state;
};

test.each(Object.entries(OVER))('frames: %s fits every window, whatever it says', (_name, over) => {
  for (const size of SIZES) draw({ ...aHostileState(), ...over }, size);
});

test('frames: a form shows the choice that is selected, of however many', () => {
  expect(draw({ ...aHostileState(), ...OVER['form'] }).text).toMatch(/> 42 choice 41/);
});

test('frames: a question that has no room says how many lines it has, and is scrolled to its last', () => {
  const it = Inspector.loaded(1);
  it.state = { ...it.state, ...OVER['confirm'] };
  const first = draw(it.state).text;
  expect(first).toMatch(/y does it, n does nothing {2}lines 1 to 17 of \d+: j k/);
  expect(first).toContain('  0 ');
  it.press('G');
  const [, to, of] = /lines \d+ to (\d+) of (\d+)/.exec(draw(it.state).text) ?? [];
  expect(to).toBe(of);
  expect(it.state.overlay?.kind).toBe('confirm');
});

test('values: wide and composed characters keep the columns aligned, and control characters are shown as what they are', () => {
  const { lines, text } = draw(aHostileState(), { columns: 120, rows: 40 });
  const table = lines.filter((line) => line.includes('fp_id_'));
  const widths = table.map((line) => displayWidth(line.slice(0, line.lastIndexOf('fp_id_'))));
  expect(new Set(widths).size).toBe(1);
  for (const line of table) expect(stringWidth(line)).toBe(displayWidth(line));
  expect(text).toContain('\\x1b');
});

test.each<[ConnectionState, string]>([
  [{ kind: 'connecting' }, 'connecting'],
  [{ kind: 'lost', why: 'it ended' }, 'DAEMON LOST'],
  [{ kind: 'other_version', daemon: '9.9.9', own: '0.1.0' }, 'DAEMON 9.9.9, THIS 0.1.0'],
])('connection: %j can be seen in every window', (connection, text) => {
  const setup = { ...aHostileState().setup, instance: 'an-instance-with-a-long-name', isReadonly: true };
  for (const size of SIZES)
    expect(draw({ ...aHostileState(), setup, connection }, size).text).toContain(text);
});

test('window: one that is too small says so and how large it has to be', () => {
  const size = { columns: 30, rows: 8 };
  expect(draw(aHostileState(), size).text.trimEnd()).toBe(
    'Too small: 30 x 8, needed are\n40 x 14; ctrl-c leaves',
  );
});

test.each(SIZES)('live environment: header, prompts and questions say it in $columns x $rows', (size) => {
  const sandbox = aHostileState();
  const live = { ...sandbox, setup: { ...sandbox.setup, environment: 'live' as const } };
  const typing = { kind: 'filter', line: { text: 'a', cursor: 1 }, before: '' } as const;
  expect(draw(live, size).lines[0]).toContain(' LIVE ');
  expect(draw(sandbox, size).text).not.toContain('LIVE');
  expect(draw({ ...live, overlay: typing }, size).text).toMatch(/ LIVE \/a/);
  expect(draw({ ...live, overlay: aQuestion(['It passes.']) }, size).text).toContain(
    'IN THE LIVE ENVIRONMENT  y does it',
  );
  expect(draw({ ...live, connection: { kind: 'lost', why: '' } }, size).text).toContain('DAEMON LOST');
});

test('tabs: a list that could not be loaded is marked, and counts nothing', () => {
  const state = aHostileState();
  const view = {
    ...state.views[0],
    id: 1,
    place: { screen: 'entity', params: { fp_id: 'fp_id_1', kind: 'user' } },
  } as const;
  const panes = screens.entity.panes.map(({ title }) => ({
    ...EMPTY_PANE,
    generation: 1,
    isKnown: title !== 'Signals',
    ...(title === 'Signals' && { problem: 'It failed' }),
    ...(title === 'Decisions' && { problem: 'It failed', rows: [{ key: 'a', cells: [] }], total: 1 }),
  }));
  const shown = (pane: number) =>
    draw({ ...state, views: [{ ...view, pane, panes, isStart: true }] }, { columns: 200, rows: 24 }).text;
  expect(shown(0)).toContain(' Signals ! ');
  expect(shown(0)).toContain(' Decisions 1 ! ');
  expect(shown(0)).toContain(' Documents 0 ');
  expect(
    shown(panes.findIndex(({ problem, rows }) => problem !== undefined && rows.length === 0)),
  ).not.toContain('0 of 0');
});

test('lists: loading, empty and failed differ', () => {
  const it = new Inspector([]);
  expect(draw(it.state).text).toContain('Loading …');
  expect(draw(it.answer().state).text).toContain('No users');
  it.press('R').send({
    type: 'load_failed',
    view: 1,
    pane: 0,
    generation: 2,
    problem: `It failed ${HOSTILE}`,
  });
  expect(draw(it.state).text).toMatch(/It failed a\\x1b/);
});

test('revealed: it stands under the table with how long it stays, and the selected row is in sight', () => {
  const it = Inspector.loaded(60).press('G');
  const subject = it.selected?.subject;
  if (subject === undefined) throw new Error('no row');
  it.state = { ...it.state, busy: 'reveal' };
  it.send({
    type: 'revealed',
    now: 0,
    revealed: { subject, title: 'id.ssn9', values: ['121-12-1212'], top: 0, hidesAt: 20_000 },
  });
  const { text } = draw(it.state);
  expect(text).toMatch(/Hides in 20 s .*id\.ssn9/);
  expect(text).toContain('121-12-1212');
  expect(text).toContain(`> ${aRow(59).key}`);
});

const trimmed = (text = '') => text.replaceAll(/ +$/gm, '');

const COLOURS = /\u001b\[[\d;]*m/;

test('themes: none has no colour at all, light and dark differ, and all say the same', () => {
  const { state } = Inspector.loaded(30).press('j');
  const over: readonly Partial<State>[] = [{}, ...Object.values(OVER)];
  for (const each of over) {
    const draws = (['none', 'dark', 'light'] as const).map((theme) =>
      drawState({ ...state, ...each }, theme),
    );
    const [none, dark, light] = draws;
    expect(none?.raw).not.toMatch(COLOURS);
    expect(dark?.raw).toMatch(COLOURS);
    expect(dark?.raw).not.toBe(light?.raw);
    if (each.overlay?.kind !== 'filter') expect(trimmed(dark?.text)).toBe(trimmed(none?.text));
    expect(light?.text).toBe(dark?.text);
  }
});

/** Pasted text must not confirm a decision that the user has not read. */
test('paste: a text that comes at once opens no form and answers it, too', async (service) => {
  await service.user(aUser());
  using app: OpenApp = openApp({ source: await sourceOf(service) });
  await app.until(/1 of 1/);
  app.send({ type: 'done', notice: { tone: 'dim', text: '' }, changes: false });
  await app.paste(':decide\ryes\ry');
  expect(app.runtime.getState().busy).toBeUndefined();
});

test('pace: what happens by itself is drawn at most twelve times a second, and nothing when nothing happens', async (service) => {
  await service.user(aUser());
  using app = openApp({ source: await sourceOf(service) });
  await app.until(/1 of 1/);
  await pause(200);
  let notified = 0;
  app.runtime.subscribe(() => void (notified += 1));
  await pause(100);
  expect(notified).toBe(0);
  for (let at = 0; at < 50; at += 1)
    app.send({ type: 'done', notice: { tone: 'dim', text: `${at}` }, changes: false });
  expect(notified).toBe(1);
  await pause(200);
  await app.until(/^49/m);
  expect(notified).toBe(2);
});

test.each([0, 3])(
  'calm: a list of %i and its counts are drawn as before while it is loaded again',
  (count) => {
    const it = Inspector.loaded(count);
    const before = draw(it.state).raw;
    it.send({ type: 'happened', types: new Set(['request']) });
    expect(it.pane.loading).toBe('first');
    expect(draw(it.state).raw).toBe(before);
    expect(draw(it.answer().state).raw).toBe(before);
  },
);

test('calm: the counts of panes keep their last value while they are loaded again', () => {
  const it = new Inspector([], { start: { screen: 'clock', params: {} } }).answer();
  const tabs = () => draw(it.state).lines[2];
  const before = tabs();
  expect(before).toContain('Faults 0');
  it.press('R');
  expect(tabs()).toBe(before);
});

test('sorted: of a list that is too long to be loaded whole, as long as it is, it says which rows are', () => {
  const long = Inspector.loaded(1_200);
  const text = () => draw(long.state, { columns: 80, rows: 24 }).text;
  expect(text()).not.toContain('sorted');
  long.press('s');
  expect(text()).toMatch(/sorted: the 100 loaded +1 of 1200/);
  long.press('escape', 'j');
  expect(text()).toMatch(/sorted: the 100 loaded +2 of 1200/);
  const short = Inspector.loaded(900).press('s').answer();
  expect(draw(short.state, { columns: 80, rows: 24 }).text).not.toContain('sorted:');
});
