/**
 * The canary holds values of every kind that a mask hides. No frame, copy, notice, announcement, printed screen or
 * crash report holds one, except the frames between a reveal and its end.
 */
import '../support/tier-all.ts';
import { Text } from 'ink';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { PLAIN } from '../../src/cli/shell/output.ts';
import { screenView } from '../../src/cli/inspect/inspect.ts';
import { announce } from '../../src/tui/linear-inspect.ts';
import { echoOf } from '../../src/tui/linear-overlays.ts';
import { Guard } from '../../src/tui/mount.tsx';
import { readScreen } from '../../src/tui/index.ts';
import { screens } from '../../src/tui/screens/registry.ts';
import { CrashError } from '../../src/tui/session.ts';
import type { ScreenPlace, Size, State } from '../../src/tui/state/model.ts';
import { currentPane, selectedRow } from '../../src/tui/state/reading.ts';
import { mount, openApp, type OpenApp } from '../support/frames.tsx';
import { useShared } from '../support/use-shared.ts';
import { aFullWorld, FRONT, HIDDEN, hiddenIn, PLACES } from './a-full-world.ts';

/** So wide that no column is left out. */
const WIDE: Size = { columns: 160, rows: 30 };
const LOADED = /^(?![^]*Loading …)/;
const REASON = 'ticket 4711 of the canary';

const world = useShared(aFullWorld);

/** Collects what a person could see or paste. */
function watched(place: ScreenPlace, size = WIDE) {
  const app = openApp({ source: world().source, place, size });
  const announced: string[] = [];
  let before: State | undefined;
  const listen = () => {
    const state = app.runtime.getState();
    announced.push(echoOf(before?.overlay, state.overlay), ...announce(before, state));
    if (state.notice !== undefined) announced.push(state.notice.text);
    before = state;
  };
  listen();
  const silence = app.runtime.subscribe(listen);
  return {
    app,
    /** What linear mode would have printed. */
    announced,
    /** From now on. */
    since() {
      const lists = [app.screen.frames, app.copied, announced];
      const from = lists.map(({ length }) => length);
      return { text: () => lists.flatMap((list, at) => list.slice(from[at])).join('\n') };
    },
    [Symbol.dispose]() {
      silence();
      app[Symbol.dispose]();
    },
  };
}

/** Copies each row, and opens the forms of the actions on it. */
async function useRows(app: OpenApp, most: number): Promise<void> {
  const rows = Math.min(most, currentPane(app.runtime.getState()).rows.length);
  await app.press('g');
  for (let row = 0; row < rows; row += 1) await app.press('y', 'Y', 'c', 'j');
}

async function filterAndSort(app: OpenApp): Promise<void> {
  await app.press('s', 's', 'S');
  await app.enter('/id', 'escape');
  await app.until(LOADED);
}

async function openEverything(app: OpenApp): Promise<void> {
  for (const key of ['x', 'w', 'r', 't', 'o', 'd']) await app.press(key, 'escape');
  await app.press('?', 'G', 'escape', ':', 're', 'down', 'escape');
}

test('canary: the world is full of it, each value in its field', async () => {
  expect(new Set(HIDDEN).size).toBeGreaterThan(40);
  const [first, dob] = ['id.first_name', 'id.dob'];
  const { body } = await world().service.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id: world().user },
    body: { fields: [first, dob, 'custom.nested', 'document.passport.first_name'], reason: 'to see it' },
  });
  const found = hiddenIn(JSON.stringify(body));
  expect(found).toEqual(['Quillonda', '1988-12-30', 'Nestorianus', 'Keyword', 'Ingressia']);
});

test.each(PLACES)('canary: no pane of %s, no copy, notice or announcement holds a value', async (name) => {
  const place = world().places[name];
  using all = watched(place);
  const { app, announced } = all;
  for (const [at, { title }] of screens[place.screen].panes.entries()) {
    await app.until(LOADED);
    await useRows(app, title === 'Vault' ? 100 : 3);
    await filterAndSort(app);
    await openEverything(app);
    // Each page of a list is drawn.
    await app.press(...Array<string>(4).fill('pagedown'), 'G', 'g', 'enter');
    await app.until(LOADED);
    const { views, overlay } = app.runtime.getState();
    if (views.length > 1 || overlay !== undefined) await app.press('escape');
    // Enter on a count of the case page has opened the pane of its list.
    const steps = (app.runtime.getState().views.at(-1)?.pane ?? at) - at;
    for (let step = 0; step < steps; step += 1) await app.press('shift-tab');
    await app.press('tab');
  }
  const shown = [...app.screen.frames, ...app.copied, ...announced].join('\n');
  expect(hiddenIn(shown), name).toEqual([]);
  if (name === 'user') expect(app.copied.length).toBeGreaterThan(3 * 40);
});

test('canary: no screen that is printed once holds a value', async () => {
  for (const [name, place] of Object.entries(world().places)) {
    const text = await readScreen(world().source, place, { rows: 100 });
    const printed = screenView(text, PLAIN);
    expect(printed.length, name).toBeGreaterThan(20);
    expect(hiddenIn(`${printed}${JSON.stringify(text)}`), name).toEqual([]);
  }
});

interface Field {
  readonly of: 'user' | 'business';
  readonly identifier: string;
  /** The filter that makes the field the last row of the list. */
  readonly filter: string;
  readonly value: string;
  /** All fields that the filter leaves are revealed together. */
  readonly isWithOthers?: true;
}

const NOTE: Field = { of: 'user', identifier: 'custom.note', filter: 'custom', value: 'Marzipanova' };
const OTHERS: readonly Field[] = [
  { of: 'user', identifier: 'id.ssn9', filter: 'ssn', value: '412739856' },
  { of: 'user', identifier: 'custom.nested', filter: 'nested', value: 'Nestorianus' },
  { of: 'business', identifier: 'business.tin', filter: 'tin', value: '847261935' },
  { of: 'user', identifier: 'several fields', filter: 'id.', value: '412739856', isWithOthers: true },
];

/** Selects the field and reveals it as a user does. */
async function reveal(
  { app }: ReturnType<typeof watched>,
  { identifier, filter, value, isWithOthers }: Field,
): Promise<void> {
  await app.press('tab');
  await app.until(LOADED);
  await app.enter(`/${filter}`, isWithOthers ? '*' : 'G');
  if (!isWithOthers) expect(selectedRow(app.runtime.getState())?.id).toBe(identifier);
  await app.press('x');
  await app.until(/Reason \(typed below\)/);
  await app.enter(REASON);
  const title = isWithOthers ? '\\d+ fields' : identifier;
  await app.until(new RegExp(`Hides in \\d+ s .*: ${title} of [^]*${value}`));
}

/** Some ends of a revealed value; test/tui/state/acting.test.ts has all. */
const ENDS: Readonly<Record<string, (app: OpenApp) => Promise<void> | void>> = {
  x: (app) => app.press('x'),
  'another row': (app) => app.press('k'),
  'a lost daemon': (app) => app.send({ type: 'connection', connection: { kind: 'lost', why: 'it ended' } }),
  'the end of its time': (app) => app.send({ type: 'tick', now: performance.now() + 20_001 }),
  leaving: (app) => app.press('q'),
};

async function expectGone(field: Field, how: keyof typeof ENDS): Promise<void> {
  using all = watched(world().places[field.of], { columns: 100, rows: 30 });
  const { app, announced } = all;
  await reveal(all, field);
  // The value is in the frame and in the lines of linear mode. A copy of the row stays masked.
  expect(hiddenIn(app.text())).toContain(field.value);
  expect(hiddenIn(announced.join('\n'))).toContain(field.value);
  await app.press('y', 'Y', 'c');
  expect(hiddenIn(app.copied.join('\n'))).toEqual([]);

  const rest = all.since();
  await ENDS[how]?.(app);
  await app.until(new RegExp(`^(?![^]*${field.value})`));
  expect(hiddenIn(rest.text()), how).toEqual([]);
  if (how === 'leaving') return;
  await app.press('escape', 'escape', 'y', 'Y', 'c', 'j', '?', 'escape', 'R', ']', '[', 'k');
  await app.until(LOADED);
  expect(hiddenIn(rest.text()), how).toEqual([]);
}

test.each(Object.keys(ENDS))('canary: a revealed value is gone after %s', async (how) => {
  await expectGone(NOTE, how);
});

test.each(OTHERS)('canary: $identifier is gone when it is hidden', async (field) => {
  await expectGone(field, 'x');
});

test('canary: help and the palette that are opened over it cover it, and it is back after them', async () => {
  using all = watched(world().places.user);
  const { app } = all;
  await reveal(all, NOTE);
  for (const key of ['?', ':']) {
    await app.press(key);
    expect(hiddenIn(app.text())).toEqual([]);
    await app.press('escape');
    expect(hiddenIn(app.text())).toContain(NOTE.value);
  }
});

test('canary: an image that the terminal cannot show is not shown, nor its bytes', async () => {
  using all = watched(world().places.user);
  const { app } = all;
  await app.press('tab', 'tab');
  await app.until(new RegExp(FRONT));
  await app.enter('xwhy');
  await app.until(/This terminal shows no images: w saves it/);
  expect(hiddenIn(all.app.screen.frames.join('\n'))).toEqual([]);
});

const SECRET = 'Marzipanova';

function Failing(): ReactNode {
  const error = new RangeError(`cannot draw ${SECRET}\n    at ${SECRET} (/a/b.ts:1:1)`);
  error.stack = `${SECRET}: ${error.message}\n${SECRET}\n    at ${SECRET}\n${error.stack ?? ''}`;
  throw error;
}

test('canary: a crash while a value is in hand shows its kind and its place, and never the value', () => {
  const crashes: Error[] = [];
  const { screen, instance } = mount(
    WIDE,
    <Guard onCrash={(error) => void crashes.push(error)}>
      <Text>before</Text>
      <Failing />
    </Guard>,
  );
  instance.unmount();
  const [crash] = crashes;
  if (crash === undefined) throw new Error('nothing failed');
  const named = Object.assign(new Error('x'), { name: SECRET });
  const reports = [crash, new Error('a', { cause: crash }), new AggregateError([crash], SECRET), named];
  const texts = reports.flatMap((each) => {
    const { message, stack = '', cause } = new CrashError(each);
    return [message, stack, JSON.stringify(cause ?? '')];
  });
  expect(texts[0]).toContain('RangeError');
  expect(texts[1]).toContain('inspect-canary.test.tsx');
  expect(hiddenIn([...texts, ...screen.frames].join('\n'))).toEqual([]);
});
