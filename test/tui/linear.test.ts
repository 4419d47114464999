/** What linear mode prints: the lines between pairs of states, and then one walk on a real terminal. */
import { beforeAll, describe, expect, test } from 'vitest';
import { announce } from '../../src/tui/linear-inspect.ts';
import { echoOf } from '../../src/tui/linear-overlays.ts';
import type { Message, Page, State } from '../../src/tui/state/model.ts';
import { initialState, update } from '../../src/tui/state/update.ts';
import { useDaemon } from '../support/use-shared.ts';
import { ask } from '../support/example-world.ts';
import { hasTerminal, runOnTerminal } from '../support/terminal.ts';
import { aQuestion, SETUP, SIZE } from './state/states.ts';

const page = (names: readonly string[], more: Partial<Page> = {}): Page => ({
  rows: names.map((name) => ({
    key: name,
    cells: [name, `N ${name}`, 'pass', '-', '-', '-', 'noon', '-'],
    id: name,
    subject: { kind: 'user', fp_id: name },
  })),
  next: null,
  total: names.length,
  ...more,
});
const begun = initialState(SETUP, SIZE).state;
const after = (state: State, ...messages: readonly Message[]) =>
  messages.reduce((reached, message) => update(reached, message).state, state);
const key = (name: string): Message => ({ type: 'key', key: name, now: 0 });
const loaded = (answer: Page, state = begun): Message => {
  const view = state.views.at(-1);
  const generation = view?.panes[0]?.generation ?? 0;
  return { type: 'page', view: view?.id ?? 0, pane: 0, generation, isFirst: true, page: answer };
};
const three = after(begun, loaded(page(['a', 'b', 'c'])));
const typing = after(three, key('/'));
const announced = (before: State, ...messages: readonly Message[]) =>
  announce(before, after(before, ...messages));
const row = (at: number, name: string, all = 3) =>
  `${at} of ${all}: user ${name}, name N ${name}, status pass, created (utc) noon`;
const revealed: Message = {
  type: 'revealed',
  now: 0,
  revealed: {
    subject: { kind: 'user', fp_id: 'a' },
    title: 'id.email',
    values: ['a\u001b[2Jb'],
    top: 0,
    hidesAt: 20_000,
  },
};

test('announce: at the beginning where it is, and how to go on', () => {
  expect(announce(undefined, begun)).toEqual([
    'kyclone, instance default, sandbox',
    'question mark lists all keys, q leaves',
    'Users',
  ]);
  expect(announce(undefined, { ...begun, setup: { ...SETUP, isReadonly: true } })[0]).toContain('read only');
  expect(announce(undefined, { ...begun, setup: { ...SETUP, tenant: 'jane' } })[0]).toContain(
    ', tenant jane, ',
  );
});

describe('announce: what changes is said, and nothing else', () => {
  const asked: State = { ...three, busy: 'Reveal a field' };
  const secret = after(asked, revealed);
  const lost: Message = { type: 'connection', connection: { kind: 'lost', why: 'it ended' } };
  const live: Message = { type: 'connection', connection: { kind: 'live' } };
  const search = after(typing, ...Array.from('618-45-6743', key));
  const verified = (identifier: string, text: string): Message => ({
    type: 'verified',
    fp_id: 'a',
    fields: [{ identifier, tone: 'bad', text }],
  });
  const other: Message = { type: 'connection', connection: { kind: 'other_version', daemon: '1', own: '2' } };
  test.each<[string, State, readonly Message[], readonly string[]]>([
    ['rows that came', begun, [loaded(page(['a', 'b']))], ['Users: 2 rows', row(1, 'a', 2)]],
    ['no rows', begun, [loaded(page([]))], ['No users']],
    ['the next row', three, [key('j')], ['No longer follows', row(2, 'b')]],
    ['the end of the list', after(three, key('G')), [key('j')], []],
    ['the same rows again', three, [key('R'), loaded(page(['a', 'b', 'c']), after(three, key('R')))], []],
    [
      'a row more, while another is read',
      after(three, key('j'), key('R')),
      [loaded(page(['n', 'a', 'b', 'c']), after(three, key('j'), key('R')))],
      ['Users: 4 rows', row(3, 'b', 4)],
    ],
    ['a notice', three, [key('escape')], ['q leaves']],
    ['the same notice again', after(three, key('escape')), [key('escape')], ['q leaves']],
    ['the first connection', begun, [live], ['Connected: changes are reported as they happen']],
    ['a lost daemon', three, [lost], ['The daemon is lost: it ended. It is tried again; R tries now']],
    ['one found again', after(three, live, lost), [live], ['Connected again']],
    ['another version', three, [other], ['The daemon is 1, this is 2: kyclone restart']],
    [
      'a revealed value, neutralised, and that it stays above',
      asked,
      [revealed],
      [
        'id.email, revealed for 20 s, and in the scrollback of this terminal until it is cleared:',
        'a\\x1b[2Jb',
      ],
    ],
    ['a second of it', secret, [{ type: 'tick', now: 1000 }], []],
    [
      'that it is hidden',
      secret,
      [{ type: 'tick', now: 20_000 }],
      ['Hidden. The value still stands above, in the scrollback of this terminal: clear it when done'],
    ],
    [
      'a search by a tax number, masked',
      search,
      [
        key('enter'),
        loaded(page(['a', 'b'], { banner: 'Looked for as a tax number' }), after(search, key('enter'))),
      ],
      ['Typed: *****6743', 'Users: 2 rows, filter *****6743', 'Looked for as a tax number', row(1, 'a', 2)],
    ],
    [
      'what a caller said, of each field once',
      after(three, verified('id.email', 'matches')),
      [verified('id.dob', 'does NOT match')],
      ["Caller's id.dob: does NOT match"],
    ],
    ['leaving', three, [key('q')], ['Left']],
  ])('%s', (_, before, messages, lines) => {
    expect(announced(before, ...messages)).toEqual(lines);
  });
});

describe('announce: what is open over the screen', () => {
  const palette = after(three, key(':'));
  const form: State = {
    ...three,
    overlay: {
      kind: 'form',
      action: 'decide',
      subject: { kind: 'user', fp_id: 'a' },
      fields: [
        {
          name: 'status',
          label: 'Status',
          kind: 'choice',
          isRequired: true,
          choices: [
            { value: 'pass', label: 'Pass' },
            { value: 'fail', label: 'Fail' },
          ],
        },
        { name: 'reason', label: 'Reason', kind: 'text', isRequired: true, hint: 'Why' },
      ],
      at: 0,
      values: {},
      line: { text: '', cursor: 0 },
      selected: 0,
    },
  };
  const reason = after(form, key('enter'));

  test('help is all keys at once', () => {
    const lines = announced(three, key('?'));
    expect(lines[0]).toBe('Keys');
    expect(lines).toContain('j or down: next row');
    expect(lines).toContain('shift G or end: last loaded row; loads more');
    expect(lines).toContain('slash: filter or search this list; an empty text shows all');
    expect(lines.at(-1)).toBe('escape closes');
    expect(announced(after(three, key('?')), key('j'))).toEqual([]);
  });

  test('the palette says the entry that enter would take, as it changes', () => {
    expect(announced(three, key(':'))[1]).toMatch(/^1 of \d+: users, people/);
    expect(announced(palette, key('down'))).toEqual([expect.stringMatching(/^2 of \d+: businesses, /)]);
    expect(announced(palette, key('b'), key('u'))).toEqual([
      expect.stringMatching(/^1 of \d+: businesses, /),
    ]);
    expect(announced(palette, key('%'))).toEqual([
      expect.stringMatching(/^1 of 1: search, find a person by/),
    ]);
    expect(announced(palette, key('escape'))).toEqual(['Closed', row(1, 'a')]);
  });

  test('a choice is numbered, and said as it changes and when it is taken', () => {
    const lines = announce(three, form);
    expect(lines[0]).toMatch(/^.+: a$/);
    expect(lines.slice(1)).toEqual([
      'Status: a number or up and down choose, enter goes on, escape cancels',
      '1 Pass',
      '2 Fail',
      'Chosen: 1 Pass',
    ]);
    expect(announced(form, key('2'))).toEqual(['2 of 2: Fail']);
    expect(announced(form, key('enter'))).toEqual([
      'Status: Pass',
      'Reason: type, enter goes on, escape cancels',
      'Why',
    ]);
    expect(announced(reason, key('enter'))).toEqual(['Reason is needed']);
    const sent = { ...reason, overlay: undefined, busy: 'Deciding' };
    expect(announce(after(reason, key('o'), key('k')), sent)).toEqual([
      'In progress: Deciding',
      'Reason: ok',
    ]);
    expect(announced(reason, key('escape'))).toEqual(['Nothing was done', row(1, 'a')]);

    const { overlay } = after(reason, key('o'));
    if (overlay?.kind !== 'form') throw new Error('no form is open');
    const fields = overlay.fields.map((field) => ({ ...field, isShownOnce: true as const }));
    const printed = announce({ ...three, overlay: { ...overlay, fields } }, sent);
    expect(printed, 'what a caller says').toContain('Reason: (typed, not shown again)');
  });

  test('a question says what will happen and how to answer', () => {
    const confirm = { ...three, overlay: aQuestion(['It is done.']) };
    expect(announce(three, confirm).slice(1)).toEqual(['It is done.', 'y does it, n does nothing']);
  });

  test('of an action on many rows, each is said, done or failed', () => {
    const results = [
      { key: 'a', text: 'N a: tagged', isDone: true },
      { key: 'b', text: 'N b: gone\u001b[2J', isDone: false },
    ];
    const view = three.views[0]?.id ?? 0;
    const lines = announced(three, { type: 'done_many', view, pane: 0, title: 'Tag', results });
    expect(lines).toEqual([
      'Tag: 1 of 2 done',
      'Tag: 1 of 2 done',
      'done: N a: tagged',
      'failed: N b: gone\\x1b[2J',
      'escape closes',
    ]);
  });

  test('typing is echoed where it stands; any other edit is a line', () => {
    const ab = after(typing, key('a'), key('b'));
    expect(echoOf(typing.overlay, after(typing, key('a')).overlay)).toBe('a');
    expect(echoOf(ab.overlay, after(ab, key('space')).overlay)).toBe(' ');
    expect(echoOf(ab.overlay, after(ab, key('backspace')).overlay)).toBe('');
    expect(announce(ab, after(ab, key('backspace')))).toContain('now: a');
    expect(announce(ab, after(ab, key('left')))).toEqual(['at b']);
    expect(announce(ab, after(ab, key('ctrl-u')))).toContain('now empty');
    expect(announce(ab, after(ab, key('enter')))).toContain('Typed: ab');
    expect(announce(ab, after(ab, key('escape')))).not.toContain('Typed: ab');
  });
});

describe.runIf(hasTerminal)('inspect --linear on a terminal', () => {
  const daemon = useDaemon();
  beforeAll(async () => {
    await ask(daemon(), 'POST', '/users', {
      'id.first_name': 'Zanzibar4711',
      'id.last_name': 'Zanzibar4711',
    });
  });

  test.each([
    ['by its flag', ['--linear'], {}],
    [
      'for a screen reader, without colour even on a dumb terminal',
      [],
      { INK_SCREEN_READER: 'true', TERM: 'dumb' },
    ],
  ])('inspect: lines and nothing else, %s', async (_, flags, environment) => {
    const { code, screen } = await runOnTerminal(['inspect', ...flags], {
      home: daemon().home,
      environment,
      typing: [
        { after: /1 of 1: user fp_id_/, keys: ':' },
        { after: /1 of \d+: users/, keys: 'busi' },
        { after: /1 of \d+: businesses/, keys: '\r' },
        { after: /No businesses/, keys: 'q' },
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain('Users: 1 row\r\n');
    expect(screen.trimEnd().endsWith('Left')).toBe(true);
    expect(screen).not.toContain('Zanzibar4711');
    // The output holds no control sequence: no moving cursor, no colour, no alternate screen.
    expect(screen).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    expect(screen).not.toMatch(/\r(?!\n)/);
  });
});
