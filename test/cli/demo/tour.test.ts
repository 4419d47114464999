import { expect, test } from 'vitest';
import { curlLine } from '../../../src/cli/commands/demo.ts';
import type { Client, RawRequest } from '../../../src/client/client.ts';
import {
  takeTour,
  withoutSecrets,
  type PartReport,
  type TourStep,
  type Claim,
  type StepReport,
} from '../../../src/cli/demo/tour.ts';

/** Returns a client that gives this response to every request and records the requests. */
function answering(code: number, body: string | Buffer, type = 'application/json') {
  const answer = { status: code, headers: { 'content-type': type }, body: Buffer.from(body) };
  const asked: RawRequest[] = [];
  const request = (raw: RawRequest) => {
    asked.push(raw);
    return Promise.resolve(answer);
  };
  return { request, asked } as unknown as Client & { asked: RawRequest[] };
}

async function tour(steps: readonly TourStep[], client: Client, isStopped = () => false) {
  const reports: StepReport[] = [];
  const report = (part: PartReport) => void reports.push(...part.steps);
  const isTrue = await takeTour([{ promise: 'A promise', steps }], { client, report, isStopped });
  return { isTrue, reports };
}

const aStep = (claims: readonly Claim[] = [], answer = '200'): TourStep => ({
  title: 'A step',
  call: 'GET /users',
  answer,
  claims,
});

test('takeTour: a claim that does not hold makes it false, and the tour goes on', async () => {
  const { isTrue, reports } = await tour([aStep([], '404'), aStep()], answering(200, '{}'));
  expect(isTrue).toBe(false);
  expect(reports).toHaveLength(2);
  expect(reports[0]?.claims).toEqual([{ says: 'the answer is 404', holds: false, found: '200 {}' }]);
});

test('takeTour: a stopped tour is not true', async () => {
  const { isTrue, reports } = await tour([aStep()], answering(200, '{}'), () => true);
  expect(isTrue).toBe(false);
  expect(reports).toEqual([]);
});

test('answer: a failure with another code is not the one that was claimed', async () => {
  const { isTrue } = await tour([aStep([], '400 T120')], answering(400, '{"code":"invalid_request"}'));
  expect(isTrue).toBe(false);
});

test('without: finds a value that came back', async () => {
  const { isTrue, reports } = await tour(
    [aStep([{ says: 'nothing back', without: ['123', '456'] }])],
    answering(200, '{"a":"x123"}'),
  );
  expect(isTrue).toBe(false);
  expect(reports[0]?.claims.slice(1)).toEqual([{ says: 'nothing back', holds: false, found: '123' }]);
});

test('header: a failed claim shows the header that came', async () => {
  const { reports } = await tour(
    [aStep([{ says: 'text', header: { 'content-type': 'text/plain' } }])],
    answering(200, '{}'),
  );
  expect(reports[0]?.claims.slice(1)).toEqual([
    { says: 'text', holds: false, found: 'content-type: application/json' },
  ]);
});

test('takeTour: each part is reported when it is done, and the numbers of its steps go on', async () => {
  const parts: PartReport[] = [];
  const isTrue = await takeTour(
    [
      { promise: 'One', steps: [aStep(), aStep()] },
      { promise: 'Another', steps: [aStep()] },
    ],
    {
      client: answering(200, '{}'),
      report: (part) => void parts.push(part),
      isStopped: () => parts.length === 1,
      stepsBefore: 7,
    },
  );
  expect(isTrue).toBe(false);
  expect(parts).toMatchObject([{ promise: 'One', steps: [{ number: 8 }, { number: 9 }] }]);
});

const TOKEN = { variable: 'TOKEN', value: 'cttok_secret' };
const FILE = { contentType: 'image/png', base64: 'aGVsbG8=' };

test('takeTour: a token goes into its header, unless it stands in the path; a file goes as its bytes', async () => {
  const client = answering(200, '{}');
  await tour(
    [
      { title: 'A step', call: 'POST /users/vault/custom.a/upload', token: TOKEN, file: FILE },
      { title: 'A step', call: 'GET /users/vault/decrypt/cttok_secret', token: TOKEN },
    ],
    client,
  );
  expect(client.asked[0]).toMatchObject({
    headers: { 'x-fp-authorization': 'cttok_secret', 'content-type': 'image/png' },
    body: Buffer.from('hello'),
  });
  expect(client.asked[1]?.headers).toEqual({});
});

const headers = { 'x-reason': "it's a demo", 'x-key': { variable: 'KEY', value: 'secret' } };

test('takeTour: a header that is a secret is sent as its value, and reported as its variable', async () => {
  const client = answering(200, '{}');
  const { reports } = await tour([{ title: 'A step', call: 'POST /vault_proxy/jit', headers }], client);
  expect(client.asked[0]?.headers).toEqual({ 'x-reason': "it's a demo", 'x-key': 'secret' });
  const shown = reports.map(withoutSecrets);
  const request = { path: '/vault_proxy/jit', headers: { 'x-reason': "it's a demo", 'x-key': '$KEY' } };
  expect(shown).toMatchObject([{ number: 1, request }]);
  expect(JSON.stringify(shown)).not.toContain('secret');
});

test.each<[string, Parameters<typeof curlLine>[0], string]>([
  [
    'a body is quoted for the shell, the key is a variable',
    { method: 'POST', path: '/users', body: { 'id.last_name': "O'Hara" } },
    `curl -s -X POST "$KYCLONE_BASE_URL/users" -u "$KYCLONE_API_KEY:" -H content-type:application/json -d '{"id.last_name":"O'\\''Hara"}'`,
  ],
  [
    'headers are shown, one that is a secret as a variable of the shell',
    { method: 'POST', path: '/vault_proxy/jit', headers },
    `curl -s -X POST "$KYCLONE_BASE_URL/vault_proxy/jit" -u "$KYCLONE_API_KEY:" -H 'x-reason: it'\\''s a demo' -H "x-key: $KEY"`,
  ],
  [
    'a file goes in as its bytes, a token stands as a variable',
    { method: 'POST', path: '/users/vault/custom.a/upload', file: FILE, token: TOKEN },
    'printf %s aGVsbG8= | base64 -d | curl -s -X POST "$KYCLONE_BASE_URL/users/vault/custom.a/upload" ' +
      '-H "x-fp-authorization: $TOKEN" -H content-type:image/png --data-binary @-',
  ],
  [
    'a token in the path is the only credential',
    { method: 'GET', path: '/users/vault/decrypt/cttok_secret', token: TOKEN },
    'curl -s "$KYCLONE_BASE_URL/users/vault/decrypt/$TOKEN"',
  ],
  [
    'a wrong key of a request is not shown as one of its headers',
    { method: 'GET', path: '/users', headers: { authorization: 'Basic secret' } },
    'curl -s -u sk_test_wrong: "$KYCLONE_BASE_URL/users"',
  ],
])('curlLine: %s', (_, request, line) => {
  expect(curlLine(request)).toBe(line);
});

test('takeTour: the size of an answer that is no text is shown, and claims see its bytes', async () => {
  const bytes = Buffer.from([0x89, 0xff, 0x00]);
  const claim = { says: 'the bytes', bytes: bytes.toString('base64') };
  const { isTrue, reports } = await tour([aStep([claim])], answering(200, bytes, 'image/png'));
  expect(isTrue).toBe(true);
  expect(reports[0]?.answer).toBe('<3 bytes, image/png>');
});

test('rows: of an answer that is no list there are none', async () => {
  const rows = (...are: string[]) => aStep([{ says: 'so many', rows: { of: '', columns: ['n'], are } }]);
  expect((await tour([rows('1', 'undefined')], answering(200, '[{"n":1},{}]'))).isTrue).toBe(true);
  expect((await tour([rows()], answering(200, '{"data":[]}'))).isTrue).toBe(true);
});

test.each<[string, Omit<Claim, 'says'>, Omit<Claim, 'says'>]>([
  ['above', { above: { n: '0' } }, { above: { n: '1' } }],
  ['noNames', { noNames: { data: /^x/ } }, { noNames: { data: /^a/ } }],
  [
    'some',
    { some: { of: 'list', have: [{ k: 'a', v: [1] }, { k: null }] } },
    {
      some: {
        of: 'list',
        have: [
          { k: 'a', v: [1] },
          { k: 'a', v: null },
        ],
      },
    },
  ],
  ['is, of each entry', { is: { 'list[].k': ['a', null] } }, { is: { 'list[].k': ['a'] } }],
  ['form, of each entry', { form: { 'list[].k': /./ } }, { form: { 'list[].k': /^a$/ } }],
])('%s: a claim that holds, and one that does not', async (_name, ...claims) => {
  const client = answering(200, '{"n":1,"data":{"a":1},"list":[{"k":"a","v":[1]},{"k":null,"v":2}]}');
  const { reports } = await tour([aStep(claims.map((claim) => ({ says: '', ...claim })))], client);
  expect(reports[0]?.claims.map(({ holds }) => holds)).toEqual([true, true, false]);
});

test('takeTour: what a step remembers stands in for its name in later ones, and a claim sees it', async () => {
  const client = answering(200, '{"id":"fp_id_1","data":[{"kind":"a","n":1}],"context":{"b":"","a":""}}');
  const { isTrue, reports } = await tour(
    [
      {
        title: 'One',
        call: 'POST /users',
        remember: { user: 'id', count: 'data[0].n', type: 'headers.content-type' },
      },
      {
        title: 'Another',
        call: 'POST /users/{user}/tags',
        body: { tag: '{{ {user}.id.dob }} {count} {type}' },
        claims: [
          { says: 'the same', is: { id: '{user}' } },
          { says: 'an id', form: { id: /^fp_id_/ } },
          { says: 'two', context: ['a', 'b'] },
          { says: 'one', rows: { of: 'data', columns: ['kind', 'n'], are: ['a 1'] } },
        ],
      },
      {
        title: 'A third',
        call: 'GET /users',
        answer: '404',
        claims: [
          { says: 'another', is: { id: '{type}' } },
          { says: 'no id', form: { id: /^fp_bid_/ } },
          { says: 'one', context: ['a'] },
          { says: 'none', rows: { of: 'data', columns: ['kind'], are: [] } },
        ],
      },
    ],
    client,
  );
  expect(client.asked[1]).toMatchObject({
    path: '/users/fp_id_1/tags',
    body: '{"tag":"{{ fp_id_1.id.dob }} 1 application/json"}',
  });
  expect(isTrue).toBe(false);
  expect(reports.map(({ claims }) => new Set(claims.map(({ holds }) => holds)))).toEqual([
    new Set([true]),
    new Set([true]),
    new Set([false]),
  ]);
});

test('takeTour: a fact that no step has remembered is a mistake of the tour', async () => {
  const early = tour([{ title: 'A step', call: 'GET /users/{user}' }], answering(200, '{}'));
  await expect(early).rejects.toThrow('the tour knows no user yet');
});
