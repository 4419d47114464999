/** The operator: a header of the emulator's own, recorded in the access log and with decisions (contract §11). */
import { expect } from 'vitest';
import { aReadyUser, aUser, KYC } from '../../support/builders.ts';
import { LIVE_KEY, type TestService } from '../../support/service.ts';
import { exchangeBytes, parseAnswers } from '../../support/raw-socket.ts';
import { accessLog } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const OPERATOR = 'x-kyclone-operator';

async function decrypt(service: TestService, fp_id: string, headers: Record<string, string>, as?: string) {
  return await service.send({
    method: 'POST',
    path: `/users/${fp_id}/vault/decrypt`,
    headers,
    body: { fields: ['id.first_name'], reason: 'a call' },
    ...(as !== undefined && { as }),
  });
}

test.eachWith([
  ['Zoe Desk', 'Zoe Desk'],
  ['Zoe%20Desk', 'Zoe Desk'],
  ['Zo%C3%AB%20%E6%97%A5%E6%9C%AC', 'Zoë 日本'],
  ['100%25', '100%'],
  [encodeURIComponent('😀'.repeat(100)), '😀'.repeat(100)],
])('operator: %s is %s, in the log with the identifiers read', async (service, header, name) => {
  const fp_id = await service.user(aUser());

  expect((await decrypt(service, fp_id, { [OPERATOR]: header })).status).toBe(200);
  await decrypt(service, fp_id, {});

  expect((await accessLog(service)).map(({ operator }) => operator)).toEqual([null, name]);
  const entries = service.database.prepare('SELECT entry FROM access_log').pluck().all().join('\n');
  expect(entries).not.toContain(name);
  const { body } = await service.call('GET /_kyclone/access-log/verify');
  expect(body).toMatchObject({ ok: true, checked: 2 });
});

test.eachWith([
  ['', 'empty'],
  ['%00', 'a control character'],
  ['a%0Ab', 'a line end'],
  ['a%E2%80%AEb', 'a mark that turns the line around'],
  ['%20Ann', 'a blank before it'],
  ['%', 'no encoding'],
  ['%C3%28', 'no UTF-8'],
  ['Zoë', 'not encoded'],
  [encodeURIComponent('a'.repeat(101)), 'too long'],
])('operator: %j is refused (%s), and nothing is read', async (service, header) => {
  const fp_id = await service.user(aUser());

  const { status, body } = await decrypt(service, fp_id, { [OPERATOR]: header });

  expect([status, body]).toMatchObject([400, { code: 'invalid_request' }]);
  expect((body as { message: string }).message).toContain(OPERATOR);
  expect(await accessLog(service)).toEqual([]);
});

test('operator: two names are refused', async (service) => {
  const place = await service.listen();
  const names = [`${OPERATOR}: Ann`, `${OPERATOR.toUpperCase()}: Bo`];
  const host = `host: 127.0.0.1:${place.port}`;
  const lines = ['GET /_kyclone/health HTTP/1.1', host, ...names, 'connection: close', '', ''];
  const [answer] = parseAnswers(await exchangeBytes(place, lines.join('\r\n')));
  expect(answer?.status).toBe(400);
});

test('operator: a refusal names the operator', async (service) => {
  const fp_id = await service.user(aUser());
  const headers = { [OPERATOR]: 'Ben' };
  const path = `/users/${fp_id}/vault/decrypt`;

  const reply = await service.send({ method: 'POST', path, headers, body: { fields: ['id.ssn9'] } });
  await service.send({ method: 'POST', path: '/users/search', headers, body: { search: 'jane@x.example' } });

  expect(reply.status).toBe(400);
  expect(await accessLog(service)).toMatchObject([
    { operation: 'search', operator: 'Ben' },
    { operation: 'decrypt', outcome: 'refused', operator: 'Ben' },
  ]);
  expect(await decrypt(service, fp_id, headers, LIVE_KEY)).toMatchObject({ status: 404 });
});

test('operator: the log can be read by the whole name, with the other filters and page by page', async (service) => {
  const fp_id = await service.user(aUser());
  const other = await service.user(aUser());
  for (const id of [fp_id, fp_id, other])
    for (const name of ['Ann', 'Ann Desk', 'Zo%C3%AB']) await decrypt(service, id, { [OPERATOR]: name });
  await decrypt(service, fp_id, {});
  const list = async (query: Record<string, string | number>) =>
    (await service.call('GET /_kyclone/access-log', { query })).body;

  expect(await list({ operator: 'Zoë' })).toMatchObject({
    data: [{ operator: 'Zoë', fp_id: other }, { fp_id }, { fp_id }],
    meta: { count: 3 },
  });
  expect(await list({ operator: 'Ann', fp_id })).toMatchObject({ data: [{}, {}], meta: { count: 2 } });
  expect(await list({ operator: 'zoë' })).toMatchObject({ meta: { count: 3 } });
  expect(await list({ q: 'zo' })).toMatchObject({ meta: { count: 3 } });
  expect(await list({ operator: 'an' })).toMatchObject({ data: [], meta: { count: 0 } });
  const first = await list({ operator: 'Ann', page_size: 2 });
  const { next } = first.meta;
  expect(first.data).toHaveLength(2);
  expect((await list({ operator: 'Ann', page_size: 2, cursor: String(next) })).data).toHaveLength(1);
});

test('operator: the reviewer of a decision, unless the body names another', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC } });
  const decide = (body: object) =>
    service.send({
      method: 'POST',
      path: `/users/${fp_id}/decisions`,
      headers: { [OPERATOR]: 'Ann%20Desk' },
      body: { status: 'pass', annotation: 'known', ...body },
    });

  await decide({});
  await decide({ reviewer_email: 'ben@desk.example' });

  const { body } = await service.call('GET /users/{fp_id}/decisions', { params: { fp_id } });
  expect(body.data.map(({ reviewer_email }) => reviewer_email)).toEqual([
    'ben@desk.example',
    'Ann Desk',
    null,
  ]);
});

test('operator: neither the journal nor the log of the daemon has the name', async (service) => {
  const fp_id = await service.user(aUser());
  await decrypt(service, fp_id, { [OPERATOR]: 'Quillonda' });

  const { text } = await service.send({ method: 'GET', path: '/_kyclone/requests' });
  expect(text).toContain(`/users/${fp_id}/vault/decrypt`);
  expect(text).not.toContain('Quillonda');
  expect(JSON.stringify(service.log)).not.toContain('Quillonda');
});
