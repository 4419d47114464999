import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/client/client.ts';
import { explainHint, isFromTarget, targetAnswer } from '../../src/cli/proxy-answer.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** What the daemon answers when the target answered: 200 and an empty JSON object unless told otherwise. */
function anExchange({ status = 200, headers = {}, body = {} }: Answer = {}): Exchange<Buffer> {
  return {
    status,
    headers: {
      'x-request-id': 'req_1',
      'content-type': 'application/json; charset=utf-8',
      'x-fp-proxy-upstream-status-code': String(status),
      ...headers,
    },
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

const T120 = { code: 'T120', message: 'Vault data failed validation' };

describe('isFromTarget', () => {
  test('isFromTarget: an answer without the status of the target is the proxy’s own', () => {
    const refusal = anExchange({ status: 400, body: { code: 'proxy_token_invalid' } });
    expect(isFromTarget({ ...refusal, headers: { 'x-request-id': 'req_1' } })).toBe(false);
  });

  test('isFromTarget: a failure after the target answered comes under another status', () => {
    const headers = { 'x-fp-proxy-upstream-status-code': '200' };
    expect(isFromTarget(anExchange({ status: 400, headers, body: T120 }))).toBe(false);
    expect(isFromTarget(anExchange({ status: 502, headers, body: { code: 'of_a_newer_daemon' } }))).toBe(
      false,
    );
  });

  test('isFromTarget: the same status by chance, with a failure of the catalogue and no header of the target', () => {
    expect(isFromTarget(anExchange({ status: 400, body: T120 }))).toBe(false);
  });

  test('isFromTarget: no success is a failure of the proxy', () => {
    const headers = { 'content-type': 'text/plain' };
    expect(isFromTarget({ ...anExchange(), headers })).toBe(true);
  });

  test.each<[string, Answer]>([
    ['success', {}],
    ['an error page', { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad</h1>' }],
    ['an error without a body', { status: 404, body: '' }],
    ['a code that is not ours', { status: 400, body: { code: 'card_declined', message: 'no' } }],
    ['a code of ours under another status', { status: 500, body: T120 }],
    ['a member that every object has', { status: 400, body: { code: 'constructor' } }],
    ['null', { status: 400, body: null }],
    ['a failure that looks like ours', { status: 400, headers: { 'x-fp-proxy-fwd-date': 'd' }, body: T120 }],
  ])('isFromTarget: %s of the target', (_, answer) => {
    expect(isFromTarget(anExchange(answer))).toBe(true);
  });
});

describe('targetAnswer', () => {
  test('targetAnswer: the target’s own headers by their own names, and none of the daemon’s', () => {
    const headers = { 'x-fp-proxy-fwd-etag': '"1"', 'x-fp-proxy-fwd-x-request-id': 'theirs', allow: 'GET' };
    expect(targetAnswer(anExchange({ headers })).headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      etag: '"1"',
      'x-request-id': 'theirs',
    });
  });

  test('targetAnswer: cookies that came in lines of their own are told apart, dates in them kept whole', () => {
    const first = 'a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/';
    const headers = { 'x-fp-proxy-fwd-set-cookie': `${first}, b=2` };
    expect(targetAnswer(anExchange({ headers })).headers['set-cookie']).toEqual([first, 'b=2']);
  });

  test('targetAnswer: the request and the rules that were skipped', () => {
    const headers = { 'x-fp-proxy-ingress-skipped': '1,3' };
    expect(targetAnswer(anExchange({ headers }))).toMatchObject({
      request_id: 'req_1',
      status: 200,
      ingress_skipped: [1, 3],
    });
    expect(targetAnswer(anExchange()).ingress_skipped).toEqual([]);
  });

  test.each<[string, string | Buffer, { encoding: string; body: unknown }]>([
    ['application/json', '{"a":[1]}', { encoding: 'json', body: { a: [1] } }],
    ['application/problem+json; charset=utf-8', '"text"', { encoding: 'json', body: 'text' }],
    ['application/json', '{"a":', { encoding: 'utf8', body: '{"a":' }],
    ['application/json', '', { encoding: 'utf8', body: '' }],
    ['text/plain', '{"a":1}', { encoding: 'utf8', body: '{"a":1}' }],
    ['text/plain', '\ufeffé', { encoding: 'utf8', body: '\ufeffé' }],
    ['application/octet-stream', Buffer.of(0xff, 0xfe), { encoding: 'base64', body: '//4=' }],
    ['application/json', Buffer.of(0x22, 0xe9, 0x22), { encoding: 'base64', body: 'Iuki' }],
  ])('targetAnswer: a body of %s, %j', (type, body, expected) => {
    expect(targetAnswer(anExchange({ headers: { 'content-type': type }, body }))).toMatchObject(expected);
  });
});

test('explainHint: names the request when it is known', () => {
  expect(explainHint(anExchange())).toBe('kyclone proxy explain req_1');
  expect(explainHint({ ...anExchange(), headers: {} })).toBe('kyclone proxy explain');
});
