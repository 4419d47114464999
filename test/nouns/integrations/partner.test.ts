/**
 * What the service reads of a call to a partner and of its response, and what the built-in partner returns (contract
 * §8.2).
 */
import { expect, test } from 'vitest';
import { builtInPartner } from '../../../src/nouns/integrations/endpoints/built-in-partner.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { jsonText } from '../../../src/kernel/text/json.ts';
import { partnerAnswer } from '../../../src/nouns/integrations/service/index.ts';
import { readPartner } from '../../../src/nouns/integrations/service/index.ts';
import { words } from '../../support/words.ts';

const BODY = {
  account_id: 'account-1',
  api_key: 'partner-key',
  api_secret: 'partner-secret',
  default_approver: 'Compliance',
  hostname: 'localhost',
};
const PATH = '/v1/accounts/account-1/cip';

function refusalOf(changes: Partial<typeof BODY>): string {
  try {
    readPartner({ ...BODY, ...changes });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  throw new Error(`${JSON.stringify(changes)} was taken`);
}

test.each([
  ['localhost', 'http://localhost'],
  ['LOCALHOST:8080', 'http://localhost:8080'],
  ['localhost.', 'http://localhost.'],
  ['127.0.0.1', 'http://127.0.0.1'],
  ['127.8.9.10:1', 'http://127.8.9.10:1'],
  ['127.1', 'http://127.0.0.1'],
  ['0x7f.1', 'http://127.0.0.1'],
  ['2130706433', 'http://127.0.0.1'],
  ['[::1]', 'http://[::1]'],
  ['[::1]:81', 'http://[::1]:81'],
  ['::1', 'http://[::1]'],
  ['http://localhost:81', 'http://localhost:81'],
  ['https://localhost', 'https://localhost'],
  ['HTTPS://127.0.0.1:8443', 'https://127.0.0.1:8443'],
])('hostname: %s is this machine, at %s', (hostname, url) => {
  const { url: found, isLoopback } = readPartner({ ...BODY, hostname });
  expect([found.href, isLoopback]).toEqual([url + PATH, true]);
});

test.each([
  ['partner.example', 'https://partner.example'],
  ['partner.example:8443', 'https://partner.example:8443'],
  ['http://partner.example', 'http://partner.example'],
  ['localhost.example', 'https://localhost.example'],
  ['127.0.0.1.example', 'https://127.0.0.1.example'],
  ['128.0.0.1', 'https://128.0.0.1'],
  ['0.0.0.0', 'https://0.0.0.0'],
  ['[::2]', 'https://[::2]'],
])('hostname: %s is not, and is called at %s', (hostname, url) => {
  const { url: found, isLoopback } = readPartner({ ...BODY, hostname });
  expect([found.href, isLoopback]).toEqual([url + PATH, false]);
});

test.each([
  ' localhost',
  'local host',
  'localhost\n',
  'localhost\\x',
  '127\u30020.0.1',
  '\uff4cocalhost',
  'localhost\u0000',
  ...words`
    localhost/ localhost/v2 localhost?a=b localhost#a user:secret@localhost http://user@localhost
    http:localhost http:/localhost http:// ftp://localhost localhost:99999 localhost: localhost:80:80
    localhost:x [::1 [::1]x [::g] a%2fb 1.2.3.4.5 fe80::1%eth0 [fe80::1%25eth0]
  `,
])('hostname: %j is refused by its member', (hostname) => {
  expect(refusalOf({ hostname })).toContain('hostname ');
});

test('hostname: a secret in its place is not repeated', () => {
  expect(refusalOf({ hostname: 'hunter2/hunter2' })).not.toContain('hunter2');
});

test.each([
  ['a/../b', 'a%2F..%2Fb'],
  ['a b?c#d', 'a%20b%3Fc%23d'],
  ['%2e', '%252e'],
  ['...', '...'],
  ['Zürich', 'Z%C3%BCrich'],
])('account_id: %s goes as %s', (account_id, segment) => {
  expect(readPartner({ ...BODY, account_id }).url.pathname).toBe(`/v1/accounts/${segment}/cip`);
});

test.each(['.', '..'])('account_id: %s is refused', (account_id) => {
  expect(refusalOf({ account_id })).toContain('account_id ');
});

test('credentials: go as Basic, in UTF-8', () => {
  // The examples of RFC 7617 §2 (Aladdin, open sesame) and §2.1 (test, 123£).
  const basic = (api_key: string, api_secret: string) =>
    readPartner({ ...BODY, api_key, api_secret }).authorization;
  expect(basic('Aladdin', 'open sesame')).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
  expect(basic('test', '123£')).toBe('Basic dGVzdDoxMjPCow==');
  expect(basic('Aladdin', 'a:b')).toBe(`Basic ${Buffer.from('Aladdin:a:b').toString('base64')}`);
});

test.each([
  [{ api_key: 'hunter:2' }, 'api_key'],
  [{ api_key: 'hunter\r\n2' }, 'api_key'],
  [{ api_secret: 'hunter\u00002' }, 'api_secret'],
  [{ api_secret: 'hunter\u007f2' }, 'api_secret'],
  [{ api_secret: 'hunter\u00852' }, 'api_secret'],
])('credentials: %j is refused by its member', (changes, member) => {
  const message = refusalOf(changes);
  expect(message).toContain(`${member} `);
  expect(message).not.toContain('hunter');
});

const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

test.each([
  ['{"id":"1","list":[{"a":null}]}', { id: '1', list: [{ a: null }] }],
  ['{}', {}],
  ['\ufeff{"id":1}', { id: 1 }],
  ['', { raw: '' }],
  ['<html>', { raw: '<html>' }],
  ['{"id":', { raw: '{"id":' }],
  ['[1]', { raw: '[1]' }],
  ['"text"', { raw: '"text"' }],
  ['null', { raw: 'null' }],
  [nested(64), JSON.parse(nested(64)) as object],
  [nested(65), { raw: nested(65) }],
])('partnerAnswer: %s', (text, expected) => {
  expect(partnerAnswer(Buffer.from(text))).toEqual(expected);
});

test('partnerAnswer: numbers stay as the partner wrote them', () => {
  const text = '{"id":12345678901234567890,"list":[1.0,1e21,2]}';
  expect(jsonText(partnerAnswer(Buffer.from(text)))).toBe(text);
});

test('partnerAnswer: nested as deep as it is long', () => {
  const text = nested(100_000);
  expect(partnerAnswer(Buffer.from(text))).toEqual({ raw: text });
});

test('partnerAnswer: bytes that are no text are readable all the same', () => {
  expect(partnerAnswer(Buffer.from([0x7b, 0xff, 0x7d]))).toEqual({ raw: '{\ufffd}' });
  expect(partnerAnswer(Buffer.from('{"a":"\u00ff"}', 'latin1'))).toEqual({ raw: '{"a":"\ufffd"}' });
});

test('partnerAnswer: members of the names of prototypes are members like any other', () => {
  const text = '{"__proto__":{"a":1},"constructor":2,"toJSON":"3"}';
  expect(JSON.stringify(partnerAnswer(Buffer.from(text)))).toBe(text);
});

const SENT = { accountId: 'account-1', apiKey: 'key', provider: 'service', at: Date.UTC(2026, 2, 1, 12) };

test('built-in partner: 200 with a record of the account', () => {
  const { status, body } = builtInPartner(SENT);
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ) as string,
    account_id: 'account-1',
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    provider: 'service',
  });
});

test('built-in partner: an account has one record', () => {
  const idOf = (accountId: string) => builtInPartner({ ...SENT, accountId, at: Math.PI * 1e12 }).body['id'];
  expect(idOf('account-1')).toBe(builtInPartner(SENT).body['id']);
  expect(idOf('account-2')).not.toBe(idOf('account-1'));
});

test.each([
  [{ accountId: 'reject' }, 422],
  [{ accountId: 'reject-me' }, 422],
  [{ accountId: 'do-not-reject' }, 200],
  [{ apiKey: 'bad' }, 401],
  [{ apiKey: 'badger' }, 401],
  [{ apiKey: 'not-bad' }, 200],
  [{ apiKey: 'bad', accountId: 'reject' }, 401],
])('built-in partner: %j is %i', (changes, status) => {
  const given = builtInPartner({ ...SENT, ...changes });
  expect(given.status).toBe(status);
  if (status !== 200) expect(Object.keys(given.body)).toEqual(['code', 'message']);
});
