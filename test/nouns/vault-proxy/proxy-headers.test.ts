import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, type Authority } from '../../../src/cli/echo/authority.ts';
import { HTTP_METHODS, PROXY_HEADERS, READ_BY_PROXY } from '../../../src/nouns/requests/facts.ts';
import { ServiceError } from '../../../src/kernel/errors.ts';
import {
  readProxyHeaders,
  readReflectHeaders,
} from '../../../src/nouns/vault-proxy/service/proxy-headers.ts';
import { words } from '../../support/words.ts';

const TARGET = ['x-fp-proxy-target-url', 'https://api.example/v1'];
const RULE = 'x-fp-proxy-ingress-rule';
const INGRESS_TYPE = 'x-fp-proxy-ingress-content-type';

const refused = (header: string, what: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: `Header ${header} ${what}` }) as Error;

const read = (...rawHeaders: string[]) => readProxyHeaders([...TARGET, ...rawHeaders]);
/** Returns UTF-8 bytes as Node passes them in headers. */
const wire = (text: string): string => Buffer.from(text).toString('latin1');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const linesOf = (headers: Record<string, string>): string[] => Object.entries(headers).flat();

let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority('Root', Date.UTC(2026, 0, 1));
});

describe('readProxyHeaders', () => {
  test('readProxyHeaders: a target alone', () => {
    expect(readProxyHeaders(TARGET)).toEqual({
      url: new URL('https://api.example/v1'),
      method: 'POST',
      sendsBody: true,
      fpId: undefined,
      reason: '',
      forwarded: {},
      tls: { pins: [] },
      ingressRules: [],
    });
  });

  test('readProxyHeaders: all headers at once, names in any case', async () => {
    const own = await authority.issue({ subject: 'jane', usage: 'client' });
    const headers = {
      'X-Fp-Path-And-Query': wire('/é?x=1'),
      'X-FP-PROXY-METHOD': 'put',
      'X-Fp-Id': 'fp_bid_x',
      'X-Fp-Proxy-Access-Reason': wire('Prüfung'),
      'X-Fp-Proxy-Fwd-X-A': wire('é'),
      'X-Fp-Proxy-Client-Cert': base64(own.certificate),
      'X-Fp-Proxy-Client-Key': base64(own.key),
      'X-Fp-Proxy-Pin-Cert': base64(authority.certificate),
      'X-Fp-Proxy-Ingress-Content-Type': 'json',
      'X-Fp-Proxy-Ingress-Rule': 'id.dob=$.a, id.city=$.b',
      authorization: 'Basic x',
      'x-fp-proxy-ingress-rule': wire("id.state=$['é']"),
    };
    const request = read(...linesOf(headers));
    expect(request).toMatchObject({
      method: 'PUT',
      fpId: 'fp_bid_x',
      reason: 'Prüfung',
      forwarded: { 'x-a': wire('é') },
      ingressRules: ['id.dob=$.a, id.city=$.b', "id.state=$['é']"],
    });
    expect(request.url.href).toBe('https://api.example/v1/%C3%A9?x=1');
    expect(request.tls.pins.map((pin) => pin.subject)).toEqual(['CN=Root']);
    expect(request.tls.client?.key).toContain('BEGIN PRIVATE KEY');
  });

  test('readProxyHeaders: a target in UTF-8', () => {
    const target = (text: string) => readProxyHeaders(['x-fp-proxy-target-url', wire(text)]).url.hostname;
    expect(target('http://１６９.254.169.254/')).toBe('169.254.169.254');
    expect(target('http://bücher.example/')).toBe('xn--bcher-kva.example');
  });

  const ONCE = Object.values(PROXY_HEADERS).filter(
    (header) => !['x-fp-proxy-pin-cert', RULE].includes(header),
  );
  test.each(ONCE)('readProxyHeaders: %s at most once', (header) => {
    expect(() => read(header, 'x', header.toUpperCase(), 'x')).toThrow(
      refused(header, 'is given more than once'),
    );
  });

  test.each(Object.values(PROXY_HEADERS))('readProxyHeaders: no control character in %s', (header) => {
    for (const character of ['\r', '\n', '\0', '\t', '\x1b', '\x7f', wire('\u0085'), '\x9b']) {
      expect(() => read(header, `x${character}x`)).toThrow(refused(header, 'holds a control character'));
    }
  });

  test('readProxyHeaders: headers that are not of the proxy may hold anything', () => {
    expect(read('x-other', 'a\0b', 'x-other', 'c', 'cookie', '\x1b')).toEqual(read());
  });

  test.each(HTTP_METHODS)('readProxyHeaders: method %s, in either case', (method) => {
    const sendsBody = method !== 'GET' && method !== 'HEAD';
    for (const given of [method, method.toLowerCase()]) {
      expect(read('x-fp-proxy-method', given)).toMatchObject({ method, sendsBody });
    }
  });

  test.each(['', 'TRACE', 'CONNECT', 'POST GET', 'GET,POST', 'ＧＥＴ', 'constructor'])(
    'readProxyHeaders: refuses the method %j',
    (method) => {
      expect(() => read('x-fp-proxy-method', method)).toThrow(
        refused('x-fp-proxy-method', 'must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'),
      );
    },
  );

  test.each(['', 'fp_', 'id_x', 'fp_id-x', 'fp_id_x fp_id_y', 'fp_id_x,fp_id_y', 'FP_id_x', wire('fp_idé')])(
    'readProxyHeaders, readReflectHeaders: refuse the entity %j',
    (fpId) => {
      const what = 'must be fp_ and letters, digits or _';
      expect(() => read('x-fp-id', fpId)).toThrow(refused('x-fp-id', what));
      expect(() => readReflectHeaders(['x-fp-id', fpId])).toThrow(refused('x-fp-id', what));
    },
  );

  test.each([
    ['UTF-8', wire('Größe 🙂'), 'Größe 🙂'],
    ['latin1', 'Gr\xf6\xdfe', 'Größe'],
    ['no latin1 at all, as only a test gives it', '🙂', '🙂'],
    ['nothing', '', ''],
  ])('readProxyHeaders: a reason in %s', (_case, given, reason) => {
    expect(read('x-fp-proxy-access-reason', given).reason).toBe(reason);
  });

  test('readProxyHeaders, readReflectHeaders: a reason is as long as in a body', () => {
    const [longest, longer] = [wire('🙂'.repeat(1000)), wire('🙂'.repeat(1001))];
    const what = 'is longer than 1000 characters';
    expect(read('x-fp-proxy-access-reason', longest).reason).toBe('🙂'.repeat(1000));
    expect(() => read('x-fp-proxy-access-reason', longer)).toThrow(refused('x-fp-proxy-access-reason', what));
    expect(() => readReflectHeaders(['x-fp-access-reason', longer])).toThrow(
      refused('x-fp-access-reason', what),
    );
  });

  test.each([
    'json',
    'application/json',
    'JSON',
    'Application/Json',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'json ; charset=UTF-8',
  ])('readProxyHeaders: ingress content type %j, with rules and without', (contentType) => {
    expect(read(INGRESS_TYPE, contentType).ingressRules).toEqual([]);
    expect(read(INGRESS_TYPE, contentType, RULE, 'x').ingressRules).toEqual(['x']);
  });

  test.each([
    '',
    'xml',
    'text/json',
    'application/xml',
    'application/vnd.a+json',
    'json5',
    'json, json',
    'application/json; version=1',
    'application/json;',
    'application/json; charset="utf-8',
  ])('readProxyHeaders: refuses the ingress content type %j', (contentType) => {
    expect(() => read(INGRESS_TYPE, contentType)).toThrow(refused(INGRESS_TYPE, 'must be json'));
  });

  test('readProxyHeaders: a rule, even an empty one, needs the ingress content type', () => {
    for (const rule of ['id.dob=$.a', '']) {
      expect(() => read(RULE, rule)).toThrow(refused(INGRESS_TYPE, `is missing: ${RULE} needs it`));
    }
  });
});

describe('readReflectHeaders', () => {
  test('readReflectHeaders: nothing is needed', () => {
    expect(readReflectHeaders([])).toEqual({ fpId: undefined, reason: '', contentType: undefined });
  });

  test('readReflectHeaders: reads its three headers and looks at no other', () => {
    const headers = {
      'x-fp-proxy-target-url': '\0',
      'x-fp-proxy-fwd-host': 'x',
      'x-fp-proxy-access-reason': 'other',
      'content-type': 'text/csv',
      'x-fp-proxy-method': 'nope',
      'X-Fp-Id': 'fp_id_x',
      'X-Fp-Access-Reason': wire('Prüfung'),
      'X-Fp-Proxy-Fwd-Content-Type': 'text/plain',
    };
    expect(readReflectHeaders(linesOf(headers))).toEqual({
      fpId: 'fp_id_x',
      reason: 'Prüfung',
      contentType: 'text/plain',
    });
  });

  test.each(['x-fp-id', 'x-fp-access-reason', 'x-fp-proxy-fwd-content-type'])(
    'readReflectHeaders: %s at most once',
    (header) => {
      const value = header === 'x-fp-id' ? 'fp_x' : 'a/b';
      expect(() => readReflectHeaders([header, value, header, value])).toThrow(
        refused(header, 'is given more than once'),
      );
    },
  );
});

const MARK = 'zQ7mark';
const others = words`x-fp-proxy-fwd-x-a x-fp-proxy-fwd-host x-fp-proxy-fwd-content-type x-fp-proxy-fwd- cookie`;
const names = fc.oneof(
  fc.constantFrom(...READ_BY_PROXY, ...others),
  fc.string({ unit: 'binary' }).map((name) => `x-fp-proxy-fwd-${name}`),
);
const pems = ['CERTIFICATE', 'PRIVATE KEY'].flatMap((label) => [
  `-----BEGIN ${label}-----`,
  `-----END ${label}-----`,
]);
const pieces = words`http:// https:// @ # ? \\ a % %41 , / ; MII= json fp_id_ GET`.concat(
  pems,
  '\r\n',
  '\0',
  ' ',
);
const around = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...pieces) }));
const values = fc.oneof(
  fc.tuple(around, around).map(([before, after]) => before + MARK + after),
  fc.tuple(around, around).map(([before, after]) => base64(before + MARK + after)),
  fc.constantFrom('json', 'GET', 'fp_id_x', 'https://h/v1', '/x', 'a/b'),
);
const headers = fc.uniqueArray(fc.tuple(names, values), { selector: ([name]) => name, maxLength: 8 });

test('readProxyHeaders, readReflectHeaders: return the settings of a header or refuse, and show no value', () => {
  const target = fc.option(fc.constantFrom('http://h', 'https://h/v1/', 'https://h:8443'), {
    nil: undefined,
  });
  fc.assert(
    fc.property(target, headers, (url, given) => {
      const rest = given.filter(([name]) => url === undefined || name !== 'x-fp-proxy-target-url');
      const lines = [...(url === undefined ? [] : ['x-fp-proxy-target-url', url]), ...rest.flat()];
      for (const reading of [readProxyHeaders, readReflectHeaders]) {
        try {
          const request = reading(lines);
          if ('url' in request && url !== undefined) expect(request.url.origin).toBe(new URL(url).origin);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
          const { code, message, cause, context } = error as ServiceError;
          expect({ code, cause, context }).toEqual({
            code: 'invalid_request',
            cause: undefined,
            context: undefined,
          });
          expect(message).toMatch(/^Header x-fp-[a-z-]+/);
          expect(message).not.toContain(MARK);
          expect(message).not.toContain(base64(MARK));
        }
      }
    }),
    { numRuns: 1000 },
  );
});
