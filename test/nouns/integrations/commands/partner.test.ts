/** The partner of `kyclone partner echo`: its responses, its sockets, and its reports of them. */
import { describe, expect, test } from 'vitest';
import {
  membersOf,
  partnerAnswerTo,
  listeningEvent,
  requestEvent,
  startPartner,
  type Partner,
  partnerEventView,
} from '../../../../src/nouns/integrations/commands/echo.ts';
import type { ReceivedRequest } from '../../../../src/cli/echo/answers.ts';
import { PLAIN } from '../../../../src/cli/shell/output.ts';

const AT = Date.UTC(2026, 2, 1, 12);
const SENT = { provider: 'acme', kyc: { applicant_name: 'Jane Doe' } };
const basic = (key: string, secret = 'secret-value') =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;

function request(
  changes: Partial<ReceivedRequest> = {},
  sent: string = JSON.stringify(SENT),
): ReceivedRequest {
  const body = Buffer.from(sent);
  return {
    number: 3,
    method: 'POST',
    target: '/v1/accounts/account-1/cip?q=query-value',
    headers: { authorization: basic('key'), 'content-type': 'application/json' },
    body,
    bodyBytes: body.length,
    tls: null,
    ...changes,
  };
}

function answered(changes?: Partial<ReceivedRequest>, sent?: string) {
  const { status, headers, body } = partnerAnswerTo(request(changes, sent), AT);
  expect(headers).toEqual({ 'content-type': 'application/json' });
  return { status, body: JSON.parse((body as Buffer).toString()) as Record<string, unknown> };
}

describe('answers', () => {
  test('partner echo: a new account has an id, the same for the same body', () => {
    const [one, again] = [answered({ target: '/v1/accounts' }), answered({ target: '/v1/accounts' })];
    expect(one).toMatchObject({
      status: 200,
      body: { account_id: expect.stringMatching(/^[\da-f-]{36}$/) as string },
    });
    expect(again).toEqual(one);
  });

  test('partner echo: the account is percent-decoded once', () => {
    expect(answered({ target: '/v1/accounts/a%20b%252f/cip' }).body['account_id']).toBe('a b%2f');
  });

  test('partner echo: a provider that is no text is null', () => {
    expect(answered({}, '{"provider":7}').body['provider']).toBeNull();
  });

  test.each([
    ['a key that starts with bad', { headers: { authorization: basic('bad-key') } }, 401],
    ['no authorization', { headers: {} }, 401],
    ['Bearer', { headers: { authorization: 'Bearer a2V5OnNlY3JldA==' } }, 401],
    ['Basic that is no base64', { headers: { authorization: 'Basic key:secret' } }, 401],
    ['Basic without a colon', { headers: { authorization: 'Basic a2V5' } }, 401],
    ['an account that starts with reject', { target: '/v1/accounts/reject-1/cip' }, 422],
    ['another path', { target: '/v1/accounts/account-1' }, 404],
    ['a longer path', { target: '/v1/accounts/account-1/cip/x' }, 404],
    ['no account', { target: '/v1/accounts//cip' }, 404],
    ['a path that cannot be decoded', { target: '/v1/accounts/%zz/cip' }, 404],
    ['another method', { method: 'GET' }, 404],
    ['a body over 16 MiB', { bodyBytes: 16 * 2 ** 20 + 1 }, 413],
  ])('partner echo: %s', (_, changes, status) => {
    const given = answered(changes);
    expect(given.status).toBe(status);
    expect(Object.keys(given.body)).toEqual(['code', 'message']);
  });

  test.each(['', 'text', '[]', 'null'])('partner echo: a body %j is no JSON object', (sent) => {
    expect(answered({}, sent)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(membersOf(request({}, sent))).toEqual([]);
  });
});

test('requestEvent: has names and numbers, and no value', () => {
  expect(requestEvent(request(), 200, false)).toEqual({
    type: 'request',
    number: 3,
    at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    method: 'POST',
    path: '/v1/accounts/account-1/cip',
    header_names: ['authorization', 'content-type'],
    body_bytes: JSON.stringify(SENT).length,
    members: ['provider', 'kyc'],
    status: 200,
  });
});

test('requestEvent: has the body when it is asked for, and no credential even then', () => {
  const event = requestEvent(request(), 200, true);
  expect(event.content).toEqual({ body: JSON.stringify(SENT), encoding: 'utf8' });
  expect(JSON.stringify(event)).not.toMatch(/Basic|secret-value|query-value/);
});

test('listeningEvent: names the hostname, and a command of the instance', () => {
  const event = listeningEvent('127.0.0.1:4650', 'my own');
  expect(event).toMatchObject({
    type: 'listening',
    url: 'http://127.0.0.1:4650',
    hostname: '127.0.0.1:4650',
  });
  expect(event.send).toBe(
    'KYCLONE_PARTNER_API_KEY=key KYCLONE_PARTNER_API_SECRET=secret kyclone users cip "$FP_ID" ' +
      "--instance 'my own' --account account-1 --approver Ann --hostname 127.0.0.1:4650",
  );
  expect(listeningEvent('127.0.0.1:4650', undefined).send).not.toContain('--instance');
});

test('partnerEventView: where it listens', () => {
  const text = partnerEventView(listeningEvent('127.0.0.1:4650', undefined), PLAIN);
  expect(text).toContain('http://127.0.0.1:4650');
  expect(text).toMatch(/^\$ KYCLONE_PARTNER_API_KEY=key .* kyclone users cip /m);
});

test('partnerEventView: a request is one line', () => {
  expect(partnerEventView(requestEvent(request(), 422, false), PLAIN)).toBe(
    `#3  POST /v1/accounts/account-1/cip  422  provider, kyc  ${JSON.stringify(SENT).length} bytes`,
  );
});

test('partnerEventView: with its body, indented, and no control character', () => {
  const shown = (sent: string) => partnerEventView(requestEvent(request({}, sent), 200, true), PLAIN);
  const text = shown(JSON.stringify({ a: '\u001b[31m' }));
  expect(text.split('\n').slice(1, 3)).toEqual(['   {', '     "a": "\\u001b[31m"']);
  const raw = shown('\u001b[31m');
  expect(raw).not.toContain('\u001b');
  expect(raw).toContain('no members');
});

test('partnerEventView: ten members are named', () => {
  const sent = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`m${index}`, 1]));
  const text = partnerEventView(requestEvent(request({}, JSON.stringify(sent)), 200, false), PLAIN);
  expect(text).toContain('m8, m9, …');
  expect(text).not.toContain('m10');
});

describe('sockets', () => {
  async function partner(...options: Parameters<typeof startPartner>): Promise<Partner & AsyncDisposable> {
    const started = await startPartner(...options);
    return { ...started, [Symbol.asyncDispose]: () => started.close() };
  }
  const post = ({ hostname }: Partner, account: string) =>
    fetch(`http://${hostname}/v1/accounts/${account}/cip`, {
      method: 'POST',
      headers: { authorization: basic('key') },
      body: JSON.stringify(SENT),
    });

  test('startPartner: answers, and reports each request with its status', async () => {
    const seen: unknown[] = [];
    const onRequest = ({ number }: ReceivedRequest, status: number) => void seen.push([number, status]);
    await using running = await partner(undefined, { onRequest });

    const replies = [await post(running, 'account-1'), await post(running, 'reject')];

    expect(replies.map(({ status }) => status)).toEqual([200, 422]);
    expect(await replies[0]?.json()).toMatchObject({ account_id: 'account-1', provider: 'acme' });
    expect(seen).toEqual([
      [1, 200],
      [2, 422],
    ]);
  });

  test('startPartner: at the port that is asked for; a taken one is a conflict', async () => {
    const free = await startPartner(undefined, {});
    await free.close();
    const port = Number(free.hostname.split(':')[1]);
    await using running = await partner(port, {});
    expect(running.hostname).toBe(`127.0.0.1:${port}`);
    await expect(startPartner(port, {})).rejects.toMatchObject({
      code: 'port_taken',
      hint: 'omit --port to get a free one',
    });
  });
});
