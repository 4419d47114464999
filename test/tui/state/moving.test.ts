/** Moves, loads, follows, filters and sorts, without a terminal and without a daemon. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KEY_MAP } from '../../../src/tui/state/key-map.ts';
import type { Message } from '../../../src/tui/state/model.ts';
import { heightOf } from '../../../src/tui/state/heights.ts';
import { currentPane, currentView } from '../../../src/tui/state/reading.ts';
import { aRow, Inspector, pageOf, rows } from './states.ts';

const ALL_KEYS = [...KEY_MAP.flatMap(({ keys }) => keys), 'S', 'y', '1', 'ü', 'backspace', 'unknown-key'];
const KEYS = ALL_KEYS.filter((key) => key !== 'ctrl-c' && key !== 'q');

function expectConsistent(it: Inspector): void {
  const { state, pane, shown } = it;
  const height = heightOf(state);
  expect(pane.selected).toBeGreaterThanOrEqual(0);
  expect(pane.selected).toBeLessThanOrEqual(Math.max(0, shown.length - 1));
  expect(pane.top).toBeGreaterThanOrEqual(0);
  expect(pane.top).toBeLessThanOrEqual(pane.selected);
  expect(pane.top + height).toBeGreaterThan(pane.selected);
}

type Move = (it: Inspector) => void;

const sending =
  (message: Message): Move =>
  (it) =>
    void it.send(message);
const pressing =
  (key: string): Move =>
  (it) =>
    void it.press(key);
const listing =
  (count: number): Move =>
  (it) =>
    void (it.all = rows(count, 100));

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...KEYS).map(pressing) },
  fc
    .record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 60 }) })
    .map((size) => sending({ type: 'resized', size })),
  fc.constant<Move>((it) => void it.answer()),
  fc
    .constantFrom<Message>(
      { type: 'happened', types: new Set(['request']) },
      { type: 'connection', connection: { kind: 'lost', why: 'it ended' } },
      { type: 'connection', connection: { kind: 'live' }, isNewDaemon: true },
      { type: 'done', notice: { tone: 'good', text: 'done' }, changes: true },
      { type: 'tick', now: 5 },
      {
        type: 'done_many',
        view: 1,
        pane: 0,
        title: 'Tag',
        results: [{ key: 'k', text: 't', isDone: false }],
      },
      { type: 'secret', title: 't', secret: 's', lines: [] },
      { type: 'switched', setup: { instance: 'other', environment: 'live' } },
      { type: 'load_failed', view: 1, pane: 0, generation: 1, problem: 'it failed' },
      { type: 'page', view: 1, pane: 0, generation: 1, isFirst: true, page: pageOf(rows(3), undefined) },
    )
    .map(sending),
  fc.integer({ min: 0, max: 250 }).map(listing),
  fc.constant<Move>((it) => {
    const subject = it.selected?.subject;
    if (subject === undefined) return;
    it.state = { ...it.state, busy: 'reveal' };
    it.send({
      type: 'revealed',
      revealed: { subject, title: 't', values: ['v'], top: 0, hidesAt: 20 },
      now: it.state.now,
    });
  }),
);

test('keys and messages: whatever comes in whatever order, the selection is a row and is drawn', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), fc.integer({ min: 0, max: 350 }), (moves, count) => {
      const it = Inspector.loaded(count);
      for (const each of moves) {
        each(it);
        expectConsistent(it);
      }
    }),
    { numRuns: 300 },
  );
});

test('keys in a window that is too small: nothing but leaving is heard, whatever was open', () => {
  const small = fc.oneof(
    fc.record({ columns: fc.integer({ min: 1, max: 39 }), rows: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ columns: fc.integer({ min: 1, max: 200 }), rows: fc.integer({ min: 1, max: 13 }) }),
  );
  const keys = fc.array(fc.constantFrom(...KEYS, 'y', 'd', 'enter'), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), small, keys, (moves, size, blind) => {
      const it = Inspector.loaded(5);
      for (const each of moves) each(it);
      it.send({ type: 'resized', size }).answer();
      const before = { ...it.state, revealed: undefined };
      const asked = it.asked.length;
      it.press(...blind);
      expect({ ...it.state, revealed: undefined }).toEqual(before);
      expect(it.asked).toHaveLength(asked);
      expect(it.press('ctrl-c').state.isLeaving).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a window that is too small for a screen is none in lines', () => {
  const it = Inspector.loaded(5, { isLinear: true });
  it.send({ type: 'resized', size: { columns: 20, rows: 5 } }).press('j');
  expect(it.pane.selected).toBe(1);
});

test('digits: each leads to the pane of its number, and says when there is none', () => {
  const it = Inspector.loaded(3);
  it.press('2');
  expect(it.state.notice?.text).toBe('There is no pane 2 here: there is only one');
  it.send({ type: 'key', key: ':', now: 0 }).type('clock').press('enter').answer();
  expect(currentView(it.press('2').answer().state).pane).toBe(1);
  expect(currentView(it.press('1').answer().state).pane).toBe(0);
  expect(it.press('9').state.notice?.text).toMatch(/^There is no pane 9 here: press 1 to \d$/);
});

test('page: one that was asked for before a newer load is not taken', () => {
  const it = new Inspector(rows(5));
  const [late] = it.loads();
  it.press('R');
  it.answer();
  it.all = [];
  const before = it.state;
  if (late !== undefined) it.send(it.pageFor(late));
  expect(it.state).toBe(before);
});

test('page: one of a view that was left is not taken', () => {
  const it = Inspector.loaded(5);
  it.press('enter');
  const load = it.loads().at(-1);
  it.press('escape').answer();
  const before = it.state;
  if (load !== undefined) it.send(it.pageFor(load));
  expect(it.state).toBe(before);
});

test('reload: the selected row stays selected, at its place in the window, where rows came above it', () => {
  const it = Inspector.loaded(90);
  it.press(...Array<string>(40).fill('j'));
  const { selected, pane } = it;
  it.all = [...rows(3, 500), ...rows(90)];
  it.press('R').answer();
  expect(it.selected?.key).toBe(selected?.key);
  expect(it.pane.selected - it.pane.top).toBe(pane.selected - pane.top);
});

test('reload: a list is there again as far as it was read', () => {
  const it = Inspector.loaded(1000);
  for (let at = 0; at < 333; at += 1) it.press('j').answer();
  it.press('R');
  expect(it.loads().at(-1)?.size).toBe(400);
  it.answer();
  expect(it.selected?.key).toBe(aRow(333).key);
});

test('back: a list that was left far down is where it was, and says when it has changed', () => {
  const it = Inspector.loaded(1500);
  for (let at = 0; at < 1200; at += 1) it.press('j').answer();
  it.press('enter').answer().press('escape').answer();
  expect(it.selected?.key).toBe(aRow(1200).key);
  expect(it.pane.isStale).toBe(true);
});

test('live: nothing moves while the user reads further down, and it is loaded when they are back at the top', () => {
  const it = Inspector.loaded(150);
  it.press('pagedown', 'pagedown', 'j').answer();
  it.all = [aRow(999), ...rows(150)];
  const before = it.selected;
  it.send({ type: 'happened', types: new Set(['request']) }).answer();
  expect(it.selected).toBe(before);
  expect(it.pane.isStale).toBe(true);
  it.press('g').answer();
  expect(it.shown[0]?.key).toBe(aRow(999).key);
  expect(it.pane.isStale).toBe(false);
});

test('live: what happens while a list is loading is loaded after it', () => {
  const it = new Inspector(rows(2));
  it.send({ type: 'happened', types: new Set(['request']) });
  expect(it.loads()).toHaveLength(1);
  const [load] = it.loads();
  if (load !== undefined) it.send(it.pageFor(load));
  expect(it.loads()).toHaveLength(2);
});

test('live: what happens between the first load and the beginning of the stream is loaded, too', () => {
  const it = new Inspector(rows(2)).answer();
  it.connect();
  expect(it.loads()).toHaveLength(2);
});

test('live: what the screen has nothing to do with loads nothing', () => {
  const it = Inspector.loaded(2);
  const before = it.loads().length;
  it.send({ type: 'happened', types: new Set(['clock', 'fault', 'read']) });
  expect(it.loads()).toHaveLength(before);
});

test('follow: the newest is selected as more come, until the user walks away, and again with f', () => {
  const it = Inspector.loaded(5);
  const comes = (serial: number) => {
    it.all = [aRow(serial), ...it.all];
    it.send({ type: 'happened', types: new Set(['request']) }).answer();
  };
  comes(100);
  expect(it.selected?.key).toBe(aRow(100).key);
  it.press('j');
  const read = it.selected;
  comes(101);
  expect(it.selected?.key).toBe(read?.key);
  it.press('f').answer();
  expect(it.selected?.key).toBe(aRow(101).key);
});

test('filter: the daemon is asked once it was entered, and escape leaves it as it was', () => {
  const it = Inspector.loaded(120);
  it.press('/').type('_0007').answer();
  expect(it.pane.filter).toBe('');
  it.press('enter').answer();
  expect(it.shown.map(({ key }) => key)).toEqual(rows(10, 70).map(({ key }) => key));
  expect(it.state.overlay).toBeUndefined();
  it.press('/', 'end').type('1').press('enter').answer();
  expect(it.shown).toHaveLength(1);
  it.press('/').type('2').press('escape').answer();
  expect(it.shown).toHaveLength(1);
  it.press('escape').answer();
  expect(it.pane.filter).toBe('');
  expect(it.shown).toHaveLength(100);
});

test('sort: numbers in texts are numbers, S turns it round, and after the last column it is as the daemon has it', () => {
  const it = Inspector.loaded(12);
  it.press('s', 's');
  expect(it.pane.sort).toEqual({ column: 1, descending: false });
  expect(it.shown[2]?.cells[1]).toBe('Name 2');
  it.press('S');
  expect(it.shown[0]?.cells[1]).toBe('Name 11');
  it.press('s', 's', 's', 's', 's', 's', 's');
  expect(it.pane.sort).toBeUndefined();
  expect(it.shown).toEqual(it.all);
});

test('problem: a load that failed leaves what was loaded, and is not tried without end', () => {
  const it = Inspector.loaded(5);
  it.press('R');
  const load = it.loads().at(-1);
  const count = it.loads().length;
  if (load !== undefined) it.send({ ...load, type: 'load_failed', problem: 'It failed' });
  expect(it.pane.problem).toBe('It failed');
  expect(it.shown).toHaveLength(5);
  expect(it.loads()).toHaveLength(count);
});

test('lost: R connects again, and a new connection loads all again', () => {
  const it = Inspector.loaded(5);
  it.press('?').lose();
  expect(it.state.overlay).toMatchObject({ kind: 'help' });
  it.press('q', 'R');
  expect(it.asked.at(-1)).toEqual({ type: 'reconnect' });
  it.connect();
  expect(it.asked.at(-1)).toMatchObject({ type: 'load' });
  expect(it.state.notice?.text).toBe('Connected again');
});

test('10,000 rows: 300 times j loads the four pages that it needs, and what is drawn is a window', () => {
  const it = Inspector.loaded(10_000);
  const before = it.loads().length;
  for (let at = 0; at < 300; at += 1) it.press('j').answer();
  expect(it.loads().length - before).toBeLessThanOrEqual(3);
  expect(it.pane.rows.length).toBe(400);
  it.press('G');
  expect(it.pane.selected).toBe(399);
  expect(it.answer().pane.rows.length).toBe(500);
  expect(currentPane(it.state).top).toBe(399 - heightOf(it.state) + 1);
});

test('read: the whole row is read, also where enter opens something', () => {
  const it = Inspector.loaded(3);
  expect(it.selected?.opens).toBeDefined();
  it.press('i');
  expect(it.state.overlay).toMatchObject({ kind: 'row' });
  expect(it.state.views).toHaveLength(1);
  it.press('escape').press('/').type('nobody').press('enter').answer().press('i');
  expect(it.state.overlay).toBeUndefined();
});

test('back and forward: a comparison that is logged is not made again, but R makes it', () => {
  const place = { screen: 'comparison', params: { fp_id: 'fp_id_00001', other: 'fp_id_00002' } } as const;
  const it = Inspector.loaded(3).send({ type: 'opened', place }).answer();
  const made = () => it.loads().filter((load) => load.place.screen === 'comparison').length;
  expect(made()).toBe(1);
  it.press('enter').answer().press('escape').answer();
  expect(it.state.views.at(-1)?.place.screen).toBe('comparison');
  it.press('escape').answer().press('L').answer();
  expect(made()).toBe(1);
  it.press('R').answer();
  expect(made()).toBe(2);
});

test('open: a row may name the pane of the place that it opens', () => {
  const place = { screen: 'request', params: { request_id: 'req_1' } } as const;
  const opened = (opensPane?: string) => {
    const it = new Inspector([
      aRow(0, { opens: place, ...(opensPane !== undefined && { opensPane }) }),
    ]).answer();
    return currentView(it.press('enter').state);
  };
  expect(opened()).toMatchObject({ place, pane: 0 });
  expect(opened('Proxy')).toMatchObject({ place, pane: 3 });
});

test.each([
  [['r', 'o'], 'ro'],
  [['left', 'X'], 'doXe'],
  [['end', 's'], 'does'],
  [['right', 's'], 'does'],
  [['backspace'], 'do'],
  [['ctrl-u', 'a'], 'a'],
])('filter: over the text of before %j gives %j', (keys, filter) => {
  const it = Inspector.loaded(3).press('/', 'd', 'o', 'e', 'enter').answer();
  it.press('/');
  expect(it.state.overlay).toMatchObject({ line: { text: 'doe' } });
  it.press(...keys, 'enter');
  expect(it.pane.filter).toBe(filter);
});

test('escape: in the first view it names the key that leaves a terminal, and a page has none', () => {
  expect(Inspector.loaded(3).press('escape').state.notice?.text).toBe('q leaves');
  expect(Inspector.loaded(3, { isPage: true }).press('escape').state.notice?.text).not.toBe('q leaves');
});
