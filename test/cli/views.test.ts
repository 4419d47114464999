import { describe, expect, test } from 'vitest';
import { partView, stepView } from '../../src/cli/commands/demo.ts';
import { doctorView } from '../../src/cli/commands/doctor.ts';
import { PLAIN, type Style } from '../../src/cli/shell/output.ts';
import { parseHeaders } from '../../src/cli/shell/fields.ts';
import { bodyView, headView, isText } from '../../src/cli/api/view.ts';
import { auditListView, auditVerifyView } from '../../src/nouns/access-log/commands.ts';
import { keyListView, newKeyView } from '../../src/nouns/api-keys/commands.ts';
import { keyringView } from '../../src/nouns/keyring/commands.ts';
import { entityListView } from '../../src/nouns/entities/commands/view.ts';
import { searchView } from '../../src/nouns/entities/commands/searching.ts';
import { logLineView, summaryView } from '../../src/cli/instance/view.ts';
import { deletionView, inspectionView, presenceView } from '../../src/nouns/vault/commands/view.ts';

const anEntity = {
  id: 'fp_id_0',
  kind: 'user',
  external_id: null,
  status: 'none',
  vault_version: 2,
  vault: [
    {
      identifier: 'id.ssn9',
      mask: '***6789',
      type: 'text',
      version: 1,
      updated_at: '2026-01-31T12:00:00.000Z',
    },
  ],
} as Parameters<typeof inspectionView>[0];

test('summaryView: shows where the daemon is and no secret', () => {
  const summary = {
    base_url: 'http://127.0.0.1:4630',
    docs_url: 'http://127.0.0.1:4630/_kyclone/docs',
    api_key: 'sk_test_secret',
    live_api_key: 'sk_live_secret',
    control_token: 'control-secret',
    instance: 'default',
    pid: 7,
    version: '0.1.0',
    ephemeral: true,
    storage: 'ephemeral',
    sqlite: 'node:sqlite 3.53.4',
    started_at: '2026-01-31T12:00:00.000Z',
  };
  expect(summaryView(summary, PLAIN)).toContain('http://127.0.0.1:4630');
  expect(summaryView(summary, PLAIN)).toMatch(/^docs +http:\/\/127\.0\.0\.1:4630\/_kyclone\/docs$/m);
  expect(summaryView(summary, PLAIN)).not.toContain('secret');
});

test('inspectionView: shows masks by identifier', () => {
  const lines = inspectionView(anEntity, PLAIN).split('\n');
  expect(lines.at(-1)).toBe('id.ssn9     ***6789       text  1        2026-01-31 12:00:00');
});

test('inspectionView: says so when a vault is empty', () => {
  expect(inspectionView({ ...anEntity, vault: [] }, PLAIN)).toContain('The vault is empty');
});

test('presenceView: answers yes and no', () => {
  expect(presenceView({ 'id.dob': true, 'id.itin': false }, PLAIN)).toBe(
    'IDENTIFIER  PRESENT\nid.dob      yes\nid.itin     no',
  );
});

test('deletionView: distinguishes what was deleted from what was not there', () => {
  expect(deletionView({ 'id.dob': true, 'id.itin': false }, PLAIN)).toMatch(
    /id\.dob +deleted\nid\.itin +was not present/,
  );
});

test('entityListView: says how to go on when there is more', () => {
  const page = { data: [{ id: 'fp_id_0', external_id: null }], meta: { count: 9, next: 'abc' } };
  expect(entityListView(page, PLAIN).split('\n').at(-1)).toBe('1 of 9; continue with --cursor abc');
});

/** Returns the headings of a printed table and the width of its longest line. */
function shown(view: string): { headings: string[]; width: number } {
  const lines = view.split('\n').filter((line) => line.startsWith('ID') || line.startsWith('fp_'));
  return { headings: (lines[0] ?? '').split(/ {2,}/), width: Math.max(...lines.map((line) => line.length)) };
}

const AT = '2026-01-31T12:00:00.000Z';
const JANE = {
  id: 'fp_id_7p793EF07xKXHqAeg5VGPj',
  kind: 'user' as const,
  masked_name: 'J*** D***',
  external_id: 'customer-of-ours-4711',
  sandbox_id: 'sandbox-of-hers-4711',
  label: null,
  status: 'incomplete' as const,
  requires_manual_review: true,
  vault_version: 1,
  created_at: AT,
  updated_at: AT,
  matched: ['tax_number_end' as const],
};
const PAGE = { data: [JANE], meta: { count: 1, next: null } };
const FOUND = {
  ...PAGE,
  search_id: 'a',
  searched_by: ['name' as const],
  too_short: [],
  reading: null,
  unreadable: 0,
};

test.each([
  [80, ['ID', 'NAME', 'STATUS', 'REVIEW', 'CREATED (UTC)']],
  [120, ['ID', 'EXTERNAL ID', 'NAME', 'STATUS', 'REVIEW', 'CREATED (UTC)']],
  [
    200,
    ['ID', 'EXTERNAL ID', 'SANDBOX ID', 'NAME', 'STATUS', 'REVIEW', 'CREATED (UTC)', 'LAST ACTIVITY (UTC)'],
  ],
])('entityListView: at %i columns those of most use are there', (screen, headings) => {
  const view = entityListView(PAGE, { ...PLAIN, screen }, new Map([[JANE.id, JANE]]));
  expect(shown(view).headings).toEqual(headings);
  expect(shown(view).width).toBeLessThanOrEqual(screen);
});

test.each([
  [80, ['ID', 'NAME', 'STATUS', 'REVIEW', 'MATCHED']],
  [120, ['ID', 'NAME', 'STATUS', 'REVIEW', 'MATCHED', 'CREATED (UTC)', 'LAST ACTIVITY (UTC)']],
  [200, ['ID', 'NAME', 'STATUS', 'REVIEW', 'MATCHED', 'EXTERNAL ID', 'CREATED (UTC)', 'LAST ACTIVITY (UTC)']],
])('searchView: at %i columns what distinguishes people is there', (screen, headings) => {
  const view = searchView(FOUND, { ...PLAIN, screen });
  expect(shown(view).headings).toEqual(headings);
  expect(shown(view).width).toBeLessThanOrEqual(screen);
});

const ACCESS = {
  seq: 4711,
  at: AT,
  operation: 'decrypt',
  outcome: 'refused',
  fp_id: JANE.id,
  operator: 'reviewer',
  identifiers: ['id.ssn9', 'document.drivers_license.front.image', 'investor_profile.employment_status'],
  actor: { kind: 'api_key', id: 'key_7p793EF07xKXHqAeg5VGPj' },
  reason: 'a support case with a long explanation',
} as Parameters<typeof auditListView>[0]['data'][number];
const KEY = {
  id: 'key_7p793EF07xKXHqAeg5VGPj',
  name: 'backend of the shop',
  tenant: 'default',
  enabled: true,
  environment: 'sandbox',
  prefix: 'sk_test_abcdefgh',
  last_used_at: AT,
} as Parameters<typeof keyListView>[0]['data'][number];
const META = { count: 1, next: null };

test.each([
  ['audit list', (style: Style) => auditListView({ data: [ACCESS], meta: META }, style), JANE.id, 'REASON'],
  ['keys list', (style: Style) => keyListView({ data: [KEY], meta: META }, style), KEY.id, 'PREFIX'],
])('%s: fits 80 columns with its id whole; programs get every column', (_, view, id, dropped) => {
  const lines = view({ ...PLAIN, screen: 80 }).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines.join()).toContain(id);
  expect(lines[0]).not.toContain(dropped);
  expect(view({ ...PLAIN, width: Infinity })).toContain(dropped);
});

test('newKeyView: shows the key and that it is shown once', () => {
  const key = { id: 'key_0', key: 'sk_test_abcdefgh' } as Parameters<typeof newKeyView>[0];
  expect(newKeyView(key, PLAIN)).toContain('sk_test_abcdefgh\nThe key is shown only once');
});

test('keyringView: an instance without slots keeps its key in memory', () => {
  const keyring = {
    root_key_version: 2,
    min_root_key_version: 1,
    slots: [],
    entities_by_root_key_version: { '1': 3 },
  };
  expect(keyringView(keyring, PLAIN)).toContain('3 under version 1');
  expect(keyringView(keyring, PLAIN)).toContain('kept in memory only');
});

const VERDICT = {
  ok: false,
  checked: 1,
  head: 'ab',
  first_bad_seq: null,
  anchor: { state: 'level', seq: 1 },
} as const;
const HOLDS = 'The chain holds: 1 entry checked';
const HINT =
  'To keep the state and begin a new anchor, save a snapshot and load it: kyclone snapshot create NAME, kyclone snapshot load NAME --yes';
test.each([
  [{ ...VERDICT, ok: true }, HOLDS],
  [{ ...VERDICT, checked: 9, first_bad_seq: 4 }, 'The chain is broken at entry 4; 9 entries checked'],
  [
    { ...VERDICT, anchor: { state: 'log_behind', seq: 7 } as const },
    `${HOLDS}\nThe log is behind its anchor, which knows entry 7: the log was shortened, or replaced by an older store\n${HINT}`,
  ],
  [
    { ...VERDICT, anchor: { state: 'missing', seq: null } as const },
    `${HOLDS}\nThe anchor of the log, access-log.anchor in the data folder, is missing: a shortened log would not show\n${HINT}`,
  ],
])('auditVerifyView: %o', (verdict, text) => {
  expect(auditVerifyView(verdict, PLAIN)).toBe(text);
});

test('logLineView: JSON lines become readable, others stay', () => {
  const line = '{"at":"2026-01-31T12:00:00.000Z","level":"info","status":200,"route":"/users"}';
  expect(logLineView(line)).toBe('2026-01-31T12:00:00.000Z info status=200 route=/users');
  expect(logLineView('Error: not JSON')).toBe('Error: not JSON');
});

test('doctorView: one line a check', () => {
  const checks = [
    { name: 'node', outcome: 'ok', message: '20.17.0' },
    { name: 'state folder', outcome: 'fail', message: 'open to others' },
  ] as const;
  expect(doctorView({ checks }, PLAIN)).toBe(
    'ok    node          20.17.0\nfail  state folder  open to others',
  );
});

describe('api views', () => {
  const anExchange = (type: string, body: string | Buffer) => ({
    status: 200,
    headers: { 'content-type': type },
    body: Buffer.from(body),
  });
  const NUMBERS = anExchange('application/json; charset=utf-8', '{"a":12345678901234567890,"b":1.10}');

  test('headView: ends with a blank line', () => {
    expect(headView(NUMBERS)).toBe('HTTP/1.1 200 OK\ncontent-type: application/json; charset=utf-8\n');
  });

  test('bodyView: as it came, and indented for people, its numbers as they came', () => {
    expect(bodyView(NUMBERS, false)).toBe('{"a":12345678901234567890,"b":1.10}');
    expect(bodyView(NUMBERS, true)).toBe('{\n  "a": 12345678901234567890,\n  "b": 1.10\n}');
  });

  test('isText: a body that says so and is UTF-8', () => {
    expect(isText(NUMBERS)).toBe(true);
    expect(isText(anExchange('text/plain', Buffer.of(0xe9)))).toBe(false);
    expect(isText(anExchange('image/png', 'a'))).toBe(false);
  });

  test('parseHeaders: reads names and values', () => {
    expect(parseHeaders(['X-External-Id: a:b', 'x-empty:'])).toEqual({
      'x-external-id': 'a:b',
      'x-empty': '',
    });
  });

  test.each(['no colon 123456789', ': 123456789', 'a b: 123456789', 'x: 123456789\r\ny: z'])(
    'parseHeaders: refuses %j without repeating it',
    (text) => {
      expect(() => parseHeaders([text])).toThrow(/^-H takes "Name: value", @FILE or @-$/);
    },
  );
});

describe('demo views', () => {
  const STEP = {
    number: 1,
    title: 'Two and two',
    request: { method: 'GET', path: '/sum' },
    status: 200,
    answer: '5',
    claims: [
      { says: 'the answer is 200', holds: true },
      { says: 'it is 4', holds: false, found: `200 ${'5'.repeat(300)}` },
    ],
  } as const;

  test('stepView: marks what did not hold', () => {
    expect(stepView(STEP, PLAIN)).toContain('✗ it is 4');
  });

  test('partView: a line with a tick; with a cross, also what was expected and found, in 80 columns', () => {
    const kept = { promise: 'Sums are right', ms: 1234, steps: [{ ...STEP, claims: [] }] };
    expect(partView(kept, PLAIN)).toMatch(/^✓ Sums are right +1\.23 s$/);
    const [line, ...below] = partView({ ...kept, steps: [...kept.steps, STEP] }, PLAIN).split('\n');
    expect(line).toMatch(/^✗ Sums are right/);
    expect(below.slice(0, 2)).toEqual(['  step      1. Two and two', '  expected  it is 4']);
    expect(below[2]).toBe('  found     200');
    expect(Math.max(...below.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(below.length).toBeLessThanOrEqual(5);
  });
});
