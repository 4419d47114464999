import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../../src/kernel/errors.ts';
import { PROXY_HEADERS } from '../../../src/nouns/requests/facts.ts';
import { readTarget } from '../../../src/nouns/vault-proxy/service/proxy-headers.ts';

const { targetUrl, pathAndQuery } = PROXY_HEADERS;

const refused = (header: string, what: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: `Header ${header} ${what}` }) as Error;

test.each([
  ['https://api.example/v1?a=b', 'https://api.example/v1?a=b'],
  ['HTTPS://API.example', 'https://api.example/'],
  ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080/'],
  ['http://[::1]:1/x', 'http://[::1]:1/x'],
  ['http://h/a b/é', 'http://h/a%20b/%C3%A9'],
  ['http://h/@x', 'http://h/@x'],
  ['http://h?mail=a@b', 'http://h/?mail=a@b'],
  // Other notations of addresses; the egress policy judges the address that they mean.
  ['http://2130706433/', 'http://127.0.0.1/'],
  ['http://0x7f.1/', 'http://127.0.0.1/'],
  ['http://１６９.２５４.１６９.２５４/', 'http://169.254.169.254/'],
  // The egress policy refuses other schemes, not this function.
  ['ftp://h/x', 'ftp://h/x'],
  ['file:///etc/passwd', 'file:///etc/passwd'],
  ['mailto:jane@example.com', 'mailto:jane@example.com'],
])('readTarget: %j is called as %j', (target, href) => {
  expect(readTarget(target, undefined).href).toBe(href);
});

test.each([
  [undefined, 'is missing'],
  ['', 'is missing'],
  ['api.example', 'is not an absolute URL'],
  ['/path', 'is not an absolute URL'],
  ['//api.example', 'is not an absolute URL'],
  ['http://', 'is not an absolute URL'],
  ['http:api.example', 'is not an absolute URL'],
  ['http:/api.example', 'is not an absolute URL'],
  ['http:///api.example', 'is not an absolute URL'],
  ['https://?x', 'is not an absolute URL'],
  ['http://h:99999/', 'is not an absolute URL'],
  ['http://h h/', 'is not an absolute URL'],
  ['http://a%40b/', 'is not an absolute URL'],
  ['http://user＠h/', 'is not an absolute URL'],
  ['http://user@h/', 'holds user info'],
  ['http://user:pass@h/', 'holds user info'],
  ['http://@h', 'holds user info'],
  ['http://:@h', 'holds user info'],
  ['ftp://user@h/', 'holds user info'],
  ['http://h/#x', 'holds a fragment'],
  ['http://h/#', 'holds a fragment'],
  ['http://h\\x', 'holds a backslash'],
  ['http:\\\\h/', 'holds a backslash'],
  [' http://h/', 'begins or ends with a blank'],
  ['http://h/ ', 'begins or ends with a blank'],
  [`http://h/${'x'.repeat(8192)}`, 'makes a URL of more than 8192 characters'],
  [`http://h/${'é'.repeat(1500)}`, 'makes a URL of more than 8192 characters'],
])('readTarget: refuses the target %j', (target, what) => {
  expect(() => readTarget(target, undefined)).toThrow(refused(targetUrl, what));
});

test.each([
  ['http://h', 'x', 'http://h/x'],
  ['http://h', '/x', 'http://h/x'],
  ['http://h/', 'x', 'http://h/x'],
  ['http://h/', '/x', 'http://h/x'],
  ['http://h/v1', 'x?a=b&c', 'http://h/v1/x?a=b&c'],
  ['http://h/v1/', '/x', 'http://h/v1/x'],
  ['http://h/v1//', 'x', 'http://h/v1//x'],
  ['http://h', '?x', 'http://h/?x'],
  ['http://h/v1/', '?x', 'http://h/v1?x'],
  ['http://h', '', 'http://h/'],
  ['http://h/?a', '', 'http://h/?a'],
  ['http://h', 'a b/é', 'http://h/a%20b/%C3%A9'],
  ['http://h/a', '/..x/.y/z..', 'http://h/a/..x/.y/z..'],
  ['http://h', 'x?to=/../', 'http://h/x?to=/../'],
  // None of these leads to another host.
  ['http://h', '//evil', 'http://h//evil'],
  ['http://h', '@evil', 'http://h/@evil'],
  ['http://h', ':8080', 'http://h/:8080'],
  ['http://h', '.evil', 'http://h/.evil'],
  ['http://h', 'http://evil', 'http://h/http://evil'],
  ['http://h:8080', '1/x', 'http://h:8080/1/x'],
])('readTarget: %j with %j is %j', (target, pathAndQuery, href) => {
  expect(readTarget(target, pathAndQuery).href).toBe(href);
});

test.each([
  ['http://h', '/x#y', pathAndQuery, 'holds a fragment'],
  ['http://h', '#', pathAndQuery, 'holds a fragment'],
  ['http://h', '\\\\evil', pathAndQuery, 'holds a backslash'],
  ['http://h', ' /x', pathAndQuery, 'begins or ends with a blank'],
  ['http://h', '/x ', pathAndQuery, 'begins or ends with a blank'],
  ['http://h', 'x'.repeat(8192), pathAndQuery, 'makes a URL of more than 8192 characters'],
  ['http://h/?a=b', 'x', targetUrl, `holds a query, beside ${pathAndQuery}`],
  ['http://h/?', '/x', targetUrl, `holds a query, beside ${pathAndQuery}`],
  ['http://h?a', '?b', targetUrl, `holds a query, beside ${pathAndQuery}`],
  // A scheme without a host would take one from the path.
  ['foo://', '/evil', pathAndQuery, 'cannot be appended to the target'],
  ['foo:/', '//evil', pathAndQuery, 'cannot be appended to the target'],
])('readTarget: refuses %j with %j, by %s', (target, pathAndQuery, header, what) => {
  expect(() => readTarget(target, pathAndQuery)).toThrow(refused(header, what));
});

test('readTarget: whatever is appended, the server stays that of the target', () => {
  const hosts = fc.constantFrom('h', 'h:8080', '127.0.0.1', '[::1]:81', 'a.example');
  const bases = fc.constantFrom('', '/', '/v1', '/v1/', '//');
  const hostile = fc.constantFrom('@', '/', '..', '?', ':', '.', '%2f', '\\', '\t', '\n', 'evil', ' ', '＠');
  const paths = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(hostile).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.constantFrom('http', 'https'), hosts, bases, paths, (scheme, host, base, path) => {
      const target = `${scheme}://${host}${base}`;
      try {
        const { origin, username, password, hash } = readTarget(target, path);
        expect({ origin, username, password, hash }).toEqual({
          origin: new URL(target).origin,
          username: '',
          password: '',
          hash: '',
        });
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
    { numRuns: 200 },
  );
});

test.each(['..', '../x', '/../x', '/a/./b', '/a/..', '/%2e%2E/x', '/.%2e?x'])(
  'readTarget: %j would leave the path it is appended to',
  (path) => {
    const what = 'holds a dot segment, which would leave the path';
    expect(() => readTarget('http://h/a', path)).toThrow(refused(pathAndQuery, what));
    const whole = `http://h/a${path.startsWith('/') ? '' : '/'}${path}`;
    expect(() => readTarget(whole, undefined)).toThrow(refused(targetUrl, what));
  },
);
