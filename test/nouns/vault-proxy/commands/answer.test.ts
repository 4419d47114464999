import { describe, expect, test } from 'vitest';
import { describeFailure } from '../../../../src/cli/shell/failure.ts';
import type { Exchange } from '../../../../src/client/client.ts';
import { ApiError } from '../../../../src/client/errors.ts';
import {
  explainHint,
  failureOfTarget,
  hostOf,
  isFromTarget,
  isTargetAnswer,
  outcomeNote,
  refusalOfProxy,
  targetAnswer,
} from '../../../../src/nouns/vault-proxy/commands/answer.ts';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Returns the daemon's response when the target responded: by default 200 and an empty JSON object. */
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

  const answeredOk = { 'x-fp-proxy-upstream-status-code': '200' };
  const withheld = { 'x-fp-proxy-fwd-content-type': 'application/json', 'x-fp-proxy-fwd-date': 'd' };
  test.each<[string, Answer]>([
    ['under another status, after the target answered', { status: 400, headers: answeredOk, body: T120 }],
    ['of a newer daemon', { status: 502, headers: answeredOk, body: { code: 'of_a_newer_daemon' } }],
    ['under the same status by chance, without a header of the target', { status: 400, body: T120 }],
    ['under the same status, with headers that it withholds', { status: 400, headers: withheld, body: T120 }],
  ])('isFromTarget: a failure %s is the proxy’s own', (_, answer) => {
    expect(isFromTarget(anExchange(answer))).toBe(false);
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

test('isTargetAnswer: a success of another path is not', () => {
  expect(isTargetAnswer(anExchange())).toBe(true);
  expect(isTargetAnswer({ ...anExchange(), headers: { 'x-request-id': 'req_1' } })).toBe(false);
  expect(isTargetAnswer(anExchange({ status: 400, body: T120 }))).toBe(false);
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

  test('targetAnswer: cookies that came in lines of their own are separated, dates in them kept whole', () => {
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
    ['application/json', '{"a":1.10}', { encoding: 'utf8', body: '{"a":1.10}' }],
    ['application/json', '{"a":1,"a":2}', { encoding: 'utf8', body: '{"a":1,"a":2}' }],
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

describe('outcomeNote', () => {
  test('outcomeNote: status, host and where to read on', () => {
    expect(outcomeNote(anExchange(), 'a.example')).toBe('200 from a.example; kyclone proxy explain req_1');
  });

  test('outcomeNote: a redirect says where to; the location of anything else is its own affair', () => {
    const headers = { 'x-fp-proxy-fwd-location': '/b' };
    expect(outcomeNote(anExchange({ status: 302, headers }), 'a.example')).toBe(
      '302 from a.example, location: /b; kyclone proxy explain req_1',
    );
    expect(outcomeNote(anExchange({ status: 201, headers }), 'a.example')).not.toContain('/b');
  });
});

test('failureOfTarget: the host, its status, the request', () => {
  expect(describeFailure(failureOfTarget(anExchange({ status: 503 }), 'a.example'))).toMatchObject({
    message: 'a.example returned 503',
    code: 'target_failed',
    exitCode: 1,
    hint: 'kyclone proxy explain req_1',
    requestId: 'req_1',
  });
});

test('hostOf: does not repeat an invalid URL', () => {
  expect(hostOf('https://user:secret@a.example:8443/b')).toBe('a.example:8443');
  expect(hostOf('219-09-9999')).toBe('the target');
  expect(hostOf(undefined)).toBe('the target');
});

describe('refusalOfProxy', () => {
  const refusal = (failure: { code: string; status: number; context?: Record<string, string> }) =>
    describeFailure(refusalOfProxy(new ApiError({ message: 'no', requestId: 'req_1', ...failure })));

  test('refusalOfProxy: what to do, then where it is explained; the failure is the same otherwise', () => {
    const context = { 'id.dob': 'absent' };
    expect(refusal({ code: 'proxy_token_unresolved', status: 400, context })).toEqual({
      message: 'no',
      code: 'proxy_token_unresolved',
      context,
      exitCode: 7,
      hint: 'check identifier and entity; kyclone proxy explain req_1',
      requestId: 'req_1',
    });
  });

  const FAR = 'check the target; kyclone proxy explain req_1 shows how far it went';
  test.each([
    [
      'without a hint of its own it leads to the explanation',
      'not_found',
      404,
      'kyclone proxy explain req_1',
    ],
    ['a hint that names the command names it once', 'proxy_upstream_unreachable', 502, FAR],
    ['a code of a newer daemon leads there, too', 'of_a_newer_daemon', 400, 'kyclone proxy explain req_1'],
  ])('refusalOfProxy: %s', (_, code, status, hint) => {
    expect(refusal({ code, status }).hint).toBe(hint);
  });

  test('refusalOfProxy: permissions that lack for tokens are explained', () => {
    expect(refusal({ code: 'permission_denied', status: 403, context: { 'id.dob': 'x' } }).hint).toMatch(
      /kyclone proxy explain req_1$/,
    );
  });

  test.each<[string, number]>([
    ['unauthenticated', 401],
    ['scope_missing', 403],
    ['permission_denied', 403],
    ['payload_too_large', 413],
    ['unsupported_media_type', 415],
    ['headers_too_large', 431],
    ['sealed', 503],
  ])('refusalOfProxy: %s (%i) came before the proxy, there is nothing to explain', (code, status) => {
    const { hint, requestId } = refusal({ code, status });
    expect(hint ?? '').not.toContain('explain');
    expect(requestId).toBe('req_1');
  });

  test('refusalOfProxy: nothing is explained without a request', () => {
    const error = new ApiError({ code: 'T120', status: 400, message: 'no' });
    expect(refusalOfProxy(error)).toBe(error);
  });
});
