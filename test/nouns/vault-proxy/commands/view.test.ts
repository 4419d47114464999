import { describe, expect, test } from 'vitest';
import { requestView, type JournalEntry } from '../../../../src/nouns/requests/commands/journal.ts';
import { COLOURED, PLAIN } from '../../../../src/cli/shell/output.ts';
import type { PrintedAnswer } from '../../../../src/nouns/vault-proxy/commands/answer.ts';
import {
  explanationView,
  renderingNote,
  renderingView,
  skippedNote,
  targetBodyView,
  targetHeadView,
  type Explanation,
  type Rendering,
} from '../../../../src/nouns/vault-proxy/commands/view.ts';

const anAnswer: PrintedAnswer = {
  request_id: 'req_1',
  status: 201,
  headers: { 'content-type': 'text/plain', 'x-empty': '', 'set-cookie': ['a=1', 'b=2'] },
  ingress_skipped: [],
  encoding: 'utf8',
  body: 'hello',
};

describe('the answer of a target', () => {
  test('targetHeadView: status, headers, and the blank line behind them', () => {
    expect(targetHeadView(anAnswer)).toBe(
      'HTTP/1.1 201 Created\ncontent-type: text/plain\nx-empty: \nset-cookie: a=1\nset-cookie: b=2\n',
    );
  });

  test('targetHeadView: a header cannot move the cursor', () => {
    expect(targetHeadView({ ...anAnswer, headers: { a: '\u001b[2J' } })).toContain('a: \\x1b[2J');
  });

  const [JSON_TYPE, TEXT] = ['application/json', 'text/plain'];
  const HOSTILE = 'a\tb\r\n\n\u001b]0;x\u0007\u202e\u009bc';
  const NUMBERS = '{"a":[12345678901234567890,1.10],"a":2}';
  const INDENTED = '{\n  "a": [\n    12345678901234567890,\n    1.10\n  ],\n  "a": 2\n}';
  test.each([
    ['JSON is indented, its numbers and members as they came', JSON_TYPE, NUMBERS, INDENTED],
    ['text that looks like JSON is text', TEXT, '{"a":1}', '{"a":1}'],
    [
      'text keeps its lines and tabs; controls become visible',
      TEXT,
      HOSTILE,
      'a\tb\n\n\\x1b]0;x\\x07\\u202e\\x9bc',
    ],
    [
      'a file is shown by its size',
      JSON_TYPE,
      Buffer.of(0xff, 0xfe),
      '<2 bytes that are not text; save them with > FILE>',
    ],
    ['no body is no text', JSON_TYPE, '', ''],
  ])('targetBodyView: %s', (_, type, body, shown) => {
    const answer = { status: 200, headers: { 'content-type': type }, body: Buffer.from(body) };
    expect(targetBodyView(answer)).toBe(shown);
  });

  test.each([
    [[2], 'Nothing matched ingress rule 2'],
    [[1, 3], 'Nothing matched ingress rules 1, 3'],
  ])('skippedNote: %j', (rules, note) => {
    expect(skippedNote(rules)).toBe(note);
  });
});

const aTokenNote = {
  token: 'fp_id_0.id.ssn9',
  found: true,
  transforms: ['suffix', 'wrap_quotes'],
  input_masked: '***6789',
  output_masked: '"***"',
};

const aRendering: Rendering = {
  method: 'POST',
  url: 'https://api.example.com/checks?a=1',
  headers: { 'content-type': 'application/json', accept: '*/*' },
  body: '{"ssn":"***6789"}',
  encoding: 'utf8',
  masked: true,
  policy: 'local',
  resolved_addresses: ['203.0.113.7'],
  tokens: [aTokenNote],
  stripped: ['authorization'],
  ingress: [],
};

describe('a rendering', () => {
  test('renderingView: request line, headers, blank line, body', () => {
    expect(renderingView(aRendering)).toBe(
      'POST https://api.example.com/checks?a=1\ncontent-type: application/json\naccept: */*\n\n{"ssn":"***6789"}',
    );
  });

  test.each<[string, Partial<Rendering>, RegExp]>([
    ['without a body it ends with the headers', { method: 'GET', body: '' }, /accept: \*\/\*$/],
    [
      'a body that is no text is shown by its size',
      { body: '//4=', encoding: 'base64' },
      /\n\n<2 bytes that are not text; print them with --json>$/,
    ],
    ['a value cannot move the cursor', { body: 'a\u001b[2J\nb' }, /\n\na\\x1b\[2J\nb$/],
  ])('renderingView: %s', (_, change, shown) => {
    expect(renderingView({ ...aRendering, ...change })).toMatch(shown);
  });

  test.each([
    [{}, 'Nothing was sent; values are masked: --reason TEXT shows them, and is logged'],
    [{ masked: false }, 'Nothing was sent; the values are shown, and the access log records it'],
    [{ tokens: [] }, 'Nothing was sent; no token was found'],
  ])('renderingNote: %j', (change, note) => {
    expect(renderingNote({ ...aRendering, ...change })).toBe(note);
  });
});

const anExplanation: Explanation = {
  target: 'https://api.example.com/checks',
  policy: 'local',
  sent: true,
  resolved_addresses: ['203.0.113.7', '2001:db8::7'],
  tokens: [
    aTokenNote,
    { token: 'id.dob', found: false, transforms: [], input_masked: null, output_masked: null },
  ],
  headers: { forwarded: ['content-type', 'x-a'], refused: [], stripped: ['authorization'] },
  tls: { version: 'TLSv1.3', pinned: 'ca', chain: ['CN=api.example.com', 'CN=Authority'] },
  ingress: [
    { rule: 'custom.score=$.score', matched: true, stored_as: 'fp_id_0.custom.score', reason: null },
    { rule: 'id.dob=$.dob', matched: false, stored_as: null, reason: 'nothing selected' },
  ],
  upstream: { status: 200, ms_connect: 1.5, ms_total: 20.25 },
  hints: ['1 of 2 ingress rules stored nothing'],
};

const aWithheldAnswer = { headers: ['content-type', 'x-\u001b[2J'], body: { dob: '<string>' } };
const ITS_VIEW = `
headers withheld  content-type, x-\\x1b[2J

Withheld from the caller
  {
    "dob": "<string>"
  }`;

test('explanationView, requestView: an answer that the caller did not get is shown, masked', () => {
  const explanation = { ...anExplanation, withheld: aWithheldAnswer };
  expect(explanationView(explanation, PLAIN)).toContain(`time in all      20.25 ms\n${ITS_VIEW}\n\nHint`);
  const proxy = { url: 'https://a.example', status: 201, sent: true, tokens: [], withheld: aWithheldAnswer };
  const entry: JournalEntry = {
    id: 'req_1',
    at: '2026-01-31T12:00:00.000Z',
    method: 'POST',
    path: '/vault_proxy/jit',
    status: 400,
    route: '/vault_proxy/jit',
    code: 'T120',
    ms: 1,
    faults: [],
    request: null,
    response: { code: 'T120' },
    tenant: 'default',
    environment: 'sandbox' as const,
    proxy,
  };
  expect(requestView(entry, PLAIN)).toContain(`}\n${ITS_VIEW}\n\nMore: kyclone proxy explain req_1`);
});

describe('explanationView', () => {
  test('explanationView: everything that was done, in its order, hints last', () => {
    expect(explanationView(anExplanation, PLAIN)).toBe(
      `
target     https://api.example.com/checks
policy     local
addresses  203.0.113.7, 2001:db8::7

TOKEN            FOUND  TRANSFORMS            INPUT    OUTPUT
fp_id_0.id.ssn9  yes    suffix | wrap_quotes  ***6789  "***"
id.dob           no     -                     -        -

headers forwarded  content-type, x-a
headers refused    -
headers stripped   authorization

TLS            TLSv1.3
pin matched    its authority
certificate 1  CN=api.example.com
certificate 2  CN=Authority

NO  INGRESS RULE          RESULT
1   custom.score=$.score  stored as fp_id_0.custom.score
2   id.dob=$.dob          nothing selected

status           200
time to connect  1.5 ms
time in all      20.25 ms

Hint: 1 of 2 ingress rules stored nothing`.trimStart(),
    );
  });

  test.each([
    [{ route: '/vault_proxy/jit', status: 400, code: 'T120' }, 'outcome  400 T120\n\n'],
    [{ route: '/vault_proxy/jit', status: 404, code: null }, ''],
    [
      { route: '/vault_proxy/render', status: 200, code: null },
      'call  render, a dry run: nothing was sent\n\n',
    ],
    [
      { route: '/vault_proxy/reflect', status: 400, code: 'transform_failed' },
      'outcome  400 transform_failed\ncall     reflect, a dry run: nothing was sent\n\n',
    ],
  ])('explanationView: first how it ended: %j', (entry, beginning) => {
    const view = explanationView(anExplanation, PLAIN);
    expect(explanationView(anExplanation, PLAIN, entry)).toBe(beginning + view);
  });

  test.each([
    [
      ['host', 'x-fp-proxy-target-url', 'x-fp-proxy-pin-crt', 'x-fp-id'],
      'headers stripped   host, x-fp-proxy-pin-crt\n                   and 2 headers for the proxy',
    ],
    [['x-fp-proxy-target-url'], 'headers stripped   1 header for the proxy'],
    [[], 'headers stripped   -'],
  ])('explanationView: headers that the proxy reads are counted, others named: %j', (stripped, lines) => {
    const headers = { ...anExplanation.headers, stripped };
    expect(explanationView({ ...anExplanation, headers, tls: null, ingress: [] }, PLAIN)).toContain(
      `headers refused    -\n${lines}\n\nstatus`,
    );
  });

  const ruled = (matched: boolean, stored_as: string | null) => ({
    ingress: [{ rule: 'fp_id_0.id.dob=$.a', matched, stored_as, reason: null }],
  });
  const pinned = (kind: 'leaf' | null) => ({ tls: { version: 'TLSv1.3', pinned: kind, chain: [] } });
  test.each<[string, Partial<Explanation>, RegExp]>([
    ['a value stored under the name of its rule', ruled(true, 'fp_id_0.id.dob'), /^1 +\S+ +stored$/m],
    ['a value that was not stored', ruled(true, null), /^1 +\S+ +not stored$/m],
    ['a rule without a value', ruled(false, null), /^1 +\S+ +not matched$/m],
    ["a pin of the target's own", pinned('leaf'), /^pin matched +the target's own certificate$/m],
    ['no pin', pinned(null), /^pin matched +-$/m],
    [
      'a target that was never reached',
      { upstream: { status: null, ms_connect: null, ms_total: 30_000 } },
      /^status +-\ntime to connect +-\ntime in all +30000 ms$/m,
    ],
  ])('explanationView: %s', (_, change, shown) => {
    expect(explanationView({ ...anExplanation, ...change }, PLAIN)).toMatch(shown);
  });

  test('explanationView: steps that a refused call did not reach are left out', () => {
    const refused = {
      ...anExplanation,
      target: null,
      resolved_addresses: [],
      tokens: [],
      tls: null,
      ingress: [],
      upstream: null,
      hints: [],
    };
    expect(explanationView(refused, PLAIN)).toBe(
      `
target     -
policy     local
addresses  -

No tokens

headers forwarded  content-type, x-a
headers refused    -
headers stripped   authorization`.trimStart(),
    );
  });

  test('explanationView: a certificate cannot move the cursor, colours are ours alone', () => {
    const tls = { version: 'TLSv1.3', pinned: null, chain: ['CN=\u001b[2J'] };
    const view = explanationView({ ...anExplanation, tls, hints: ['\u001b[2J'] }, COLOURED);
    expect(view).toContain('CN=\\x1b[2J');
    expect(view).not.toContain('\u001b[2J');
  });
});
