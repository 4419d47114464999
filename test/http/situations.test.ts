/**
 * Messages for a situation. They say what the request did, which setting or credential it needs, and where the choices
 * are.
 */
import { expect } from 'vitest';
import {
  asRefusal,
  CONTROL_TOKEN,
  HOST,
  LIVE_KEY,
  SANDBOX_KEY,
  type TestService,
} from '../support/service.ts';
import { test } from '../support/test-with.ts';

const KEY_PLACES = 'send the key as the user name of Basic authentication or in header x-service-secret-key';

const token = `cttok_${'a'.repeat(34)}`;
const basic = `Basic ${Buffer.from(`${SANDBOX_KEY}:`).toString('base64')}`;
const NO_KEY_BUT_TOKEN = `This call takes a secret key, not a client token: ${KEY_PLACES}`;
const NO_TOKEN_BUT_KEY = 'This call takes a client token in header x-fp-authorization, not a secret key';
const NO_CONTROL_BUT_KEY =
  'The control plane takes no secret key: send the control token, which kyclone env prints, as a Bearer token';
const NO_CONTROL = 'Send the control token of this instance, which kyclone env prints, as a Bearer token';
const OTHER_CONTROL =
  'This is not the control token of this instance: it lasts as long as the data, and kyclone env prints the present one';
const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
const asKey = (text: string) => ({ 'x-service-secret-key': text });
const asToken = (text: string) => ({ 'x-fp-authorization': text });
const [KEYS, TOKENS, CONTROL] = ['/users', '/users/client_token', '/_kyclone/faults'] as const;

test.eachWith<[string, string, Record<string, string>, string]>([
  ['a Bearer key', KEYS, bearer(SANDBOX_KEY), `A Bearer token is no secret key: ${KEY_PLACES}`],
  ['no key', KEYS, {}, KEY_PLACES.replace('send the key', 'Send the secret key')],
  ['a token', KEYS, asToken(token), NO_KEY_BUT_TOKEN],
  ['a token as key', KEYS, asKey(token), NO_KEY_BUT_TOKEN],
  [
    'an unknown key',
    KEYS,
    asKey(LIVE_KEY.replace('b', 'c')),
    'The secret key is malformed, unknown or disabled',
  ],
  ['a key for a token', TOKENS, asKey(SANDBOX_KEY), NO_TOKEN_BUT_KEY],
  ['a Basic key for a token', TOKENS, { authorization: basic }, NO_TOKEN_BUT_KEY],
  ['a key as token', TOKENS, asToken(SANDBOX_KEY), NO_TOKEN_BUT_KEY],
  ['no token', TOKENS, {}, 'Send a client token in header x-fp-authorization'],
  ['an unknown token', TOKENS, asToken(token), 'The client token is malformed, unknown or revoked'],
  ['a key for the control token', CONTROL, asKey(SANDBOX_KEY), NO_CONTROL_BUT_KEY],
  ['a Bearer key for the control token', CONTROL, bearer(SANDBOX_KEY), NO_CONTROL_BUT_KEY],
  ['no control token', CONTROL, {}, NO_CONTROL],
  ['another control token', CONTROL, bearer('x'.repeat(43)), OTHER_CONTROL],
])('credentials: %s', async (service, _, path, headers, message) => {
  const refusal = asRefusal(await service.send({ method: 'GET', path, headers, as: null }), path);
  expect(refusal).toMatchObject({ status: 401, code: 'unauthenticated', message });
  for (const secret of [SANDBOX_KEY, LIVE_KEY, CONTROL_TOKEN, token])
    expect(refusal.message).not.toContain(secret);
});

const user = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const noUserId = 'The path has no id of a user, which is fp_id_ followed by 22 letters and digits';
test.eachWith([
  ['/users/jane', noUserId],
  ['/users/jane/vault', noUserId],
  ['/users/219-09-9999/vault?fields=id.dob', noUserId],
  ['/users/fp_id_short', noUserId],
  ['/users/fp_jane/vault', noUserId],
  [
    '/businesses/acme/vault',
    'The path has no id of a business, which is fp_bid_ followed by 22 letters and digits',
  ],
  ['/users//vault', noUserId],
  [`/businesses/${user.replace('fp_id', 'fp_bid')}/owners/jane`, noUserId],
  [
    '/_kyclone/entities/jane/hits',
    'The path has no id of a user or business, which is fp_id_ or fp_bid_ followed by 22 letters and digits',
  ],
  [`/users/${user}`, 'No user has this id in this tenant and environment'],
  [
    `/users/${user.replace('fp_id', 'fp_bid')}/duplicates`,
    'This path takes the id of a user (fp_id_…), not of a business (fp_bid_…)',
  ],
  ['/users/jane/no/such', 'No endpoint has this path'],
])('ids: GET %s', async (service, path, message) => {
  expect(asRefusal(await service.send({ method: 'GET', path }), path)).toMatchObject({
    status: 404,
    code: 'not_found',
    message,
  });
});

test.eachWith([
  ['POST /users/{fp_id}/kyc', {}, 'key is missing: it must be the key of a playbook; playbooks: '],
  ['POST /users/{fp_id}/kyc', { key: null }, 'key must be the key of a playbook; playbooks: '],
  [
    'POST /users/{fp_id}/kyc',
    { key: 'pb_test_none' },
    'No kyc or document playbook has this key in this tenant and environment; playbooks: ',
  ],
] as const)('playbooks: %s with %j lists them', async (service, key, body, beginning) => {
  const keys: string[] = [];
  for (const kind of ['kyc', 'document'] as const) {
    const { data } = (await service.call('GET /_kyclone/playbooks', { query: { kind } })).body;
    keys.push(...data.map((each) => `${each.key} (${each.kind})`));
  }
  const { message } = await service.refused(key, { params: { fp_id: await service.user() }, body });
  expect(message).toBe(beginning + keys.join(', '));
});

test('playbooks: those of another environment are not listed, and of many five', async (service) => {
  for (const name of 'abcdef')
    await service.call('POST /_kyclone/playbooks', { body: { name, kind: 'kyc' } });
  const live = await service.call('POST /users', { body: {}, as: LIVE_KEY });
  const ofUser = (fp_id: string) => ({ params: { fp_id }, body: {} });
  const onLive = { ...ofUser(live.body.id), as: LIVE_KEY };
  const ofLive = await service.refused('POST /users/{fp_id}/kyc', onLive);
  expect(ofLive.message).toMatch(/playbooks: pb_live_/);
  expect(ofLive.message).not.toContain('pb_test_');
  const ofTest = await service.refused('POST /users/{fp_id}/kyc', ofUser(await service.user()));
  expect(ofTest.message.match(/pb_test_/g)).toHaveLength(5);
  expect(ofTest.message).toMatch(/, and more$/);
});

test('origin: the message distinguishes a client-token endpoint from one that a page never calls', async (service) => {
  const messageOf = async (path: string) =>
    asRefusal(
      await service.send({ method: 'GET', path, headers: { host: HOST, origin: 'https://app.test' } }),
      path,
    ).message;
  expect(await messageOf('/users/vault/decrypt')).toContain('the setting cors.origins admits it');
  expect(await messageOf('/users')).toContain('call it from your server, or use a client token');
});

test.eachWith([
  ['application/x-www-form-urlencoded', ', not application/x-www-form-urlencoded'],
  ['text/plain; charset=utf-8', ', not text/plain'],
  ['secret/219-09-9999', ''],
])('content type: %s is named only where it is a common one', async (service, type, named) => {
  const headers = { 'content-type': type };
  const answer = await service.send({ method: 'POST', path: '/users', headers, body: 'a=1' });
  expect(asRefusal(answer, type).message).toBe(`Header content-type must be application/json${named}`);
});

const FORM = 'application/x-www-form-urlencoded';
const post = (service: TestService, headers: Readonly<Record<string, string>>, body: string) =>
  // Bytes come without a content type.
  service.send({ method: 'POST', path: '/users', headers, body: Buffer.from(body) });

test.eachWith([{}, { 'content-type': FORM }, { 'content-type': `${FORM}; charset=UTF-8` }])(
  'content type: with %j a body that begins as JSON is read as JSON',
  async (service, headers) => {
    for (const body of ['{"id.first_name": "Jane"}', ' \r\n\t{}', '\ufeff{}', ''])
      expect((await post(service, headers, body)).status, body).toBe(200);
    expect(asRefusal(await post(service, headers, '[1'), 'a list').code).toBe('invalid_json');
    for (const body of ['a=1', '"a"', '1', 'null', '\u00a0{}', '%7B%7D']) {
      const refusal = asRefusal(await post(service, headers, body), body);
      expect(refusal).toMatchObject({ status: 415, code: 'unsupported_media_type' });
      expect(refusal.message).toMatch(/^Header content-type must be application\/json/);
    }
  },
);

test('content type: a request with an Origin must say that it is JSON', async (service) => {
  const origin = `http://${HOST}`;
  for (const headers of [{ origin }, { origin, 'content-type': FORM }])
    expect((await post(service, headers, '{}')).status).toBe(415);
  expect((await post(service, { origin, 'content-type': 'application/json' }, '{}')).status).toBe(200);
});

test('sandbox: a live key with x-sandbox-id, or a fixture result, is refused with the reason', async (service) => {
  const header = await service.refused('POST /users', { headers: { 'x-sandbox-id': 'abc' }, as: LIVE_KEY });
  expect(header.message).toBe('Header x-sandbox-id is for sandbox keys only, and this key is a live one');
});

test.eachWith([
  ['order 7', 'a blank at character 6'],
  ['order/7', 'a slash at character 6'],
  ['abcd', 'another length'],
])('x-external-id: of %j the message names the form and what was found', async (service, id, found) => {
  expect((await service.refused('POST /users', { headers: { 'x-external-id': id }, body: {} })).message).toBe(
    `Header x-external-id must be 5 to 256 letters, digits, dots, underscores or hyphens, found ${found}`,
  );
});
