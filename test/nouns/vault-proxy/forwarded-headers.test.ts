import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  headerNotes,
  outgoingHeaders,
  readForwarded,
  readForwardedContentType,
  headerLines,
} from '../../../src/nouns/vault-proxy/service/forwarded-headers.ts';
import { words } from '../../support/words.ts';

const PREFIX = 'x-fp-proxy-fwd-';

const refused = (header: string, what: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: `Header ${header} ${what}` }) as Error;

const forwarded = (...rawHeaders: string[]): Record<string, string> => readForwarded(headerLines(rawHeaders));

describe('readForwarded', () => {
  test('readForwarded: takes the prefix off, in any case of the name', () => {
    expect(forwarded('X-Fp-Proxy-Fwd-X-Api-Key', 'Secret', `${PREFIX}authorization`, 'Bearer x')).toEqual({
      'x-api-key': 'Secret',
      authorization: 'Bearer x',
    });
  });

  test('readForwarded: leaves every other header here', () => {
    expect(forwarded('authorization', 'Basic x', 'cookie', 'a=b', 'content-type', 'text/plain')).toEqual({});
  });

  test('readForwarded: forwards values unchanged', () => {
    const value = 'a\tb  "c" \xc3\xa9\x80\xff{{ id.dob }}';
    expect(forwarded(`${PREFIX}x-a`, value, `${PREFIX}x-b`, '')).toEqual({ 'x-a': value, 'x-b': '' });
  });

  test('readForwarded: a repeated header is one line, cookies by semicolon', () => {
    const lines = words`
      x-fp-proxy-fwd-x-a 1 x-fp-proxy-fwd-cookie a=1 x-fp-proxy-fwd-X-A 2 x-fp-proxy-fwd-Cookie b=2
    `;
    expect(forwarded(...lines)).toEqual({ 'x-a': '1, 2', cookie: 'a=1; b=2' });
  });

  test('readForwarded: a name that means something to JavaScript is a name', () => {
    expect(Object.entries(forwarded(`${PREFIX}__proto__`, 'x', `${PREFIX}constructor`, 'y'))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test.each(words`
    host content-length transfer-encoding connection keep-alive te trailer upgrade expect proxy- proxy-authorization
    proxy-connection Proxy-Authenticate HOST x-fp-id x-fp- X-Fp-Authorization x-fp-proxy-fwd-accept
  `)('readForwarded: refuses %s', (name) => {
    const what = 'has a name that may not be forwarded';
    expect(() => forwarded(PREFIX + name, 'x')).toThrow(refused((PREFIX + name).toLowerCase(), what));
  });

  test('readForwarded: refuses a prefix without a name', () => {
    expect(() => forwarded(PREFIX, 'x')).toThrow(refused(PREFIX, 'has no name after its prefix'));
  });

  test.each(['a b', 'a:b', 'é', 'a\r\nb', 'a\0'])(
    'readForwarded: refuses the name %j and keeps it',
    (name) => {
      expect(() => forwarded(PREFIX + name, 'x')).toThrow(
        refused(`${PREFIX}<NAME>`, 'has a name that HTTP does not allow'),
      );
    },
  );

  test('readForwarded: a credential put into a name is not in the refusal', () => {
    expect(() => forwarded(`${PREFIX}proxy-sk_test_abc123`, 'x')).toThrow(
      refused(`${PREFIX}proxy-sk_test_***`, 'has a name that may not be forwarded'),
    );
  });

  test.each(['a\rb', 'a\nb', 'a\r\nhost: evil', '\0', '\x01', '\x1b[0m', '\x7f', 'é€'])(
    'readForwarded: refuses the value %j',
    (value) => {
      expect(() => forwarded(`${PREFIX}x-a`, 'fine', `${PREFIX}x-a`, value)).toThrow(
        refused(`${PREFIX}x-a`, 'holds a character that may not be in a header'),
      );
    },
  );
});

describe('a forwarded content type', () => {
  const header = `${PREFIX}content-type`;
  const readings = [
    (lines: readonly string[]) => readForwarded(headerLines(lines))['content-type'],
    (lines: readonly string[]) => readForwardedContentType(headerLines(lines)),
  ];

  test.each([
    undefined,
    'application/json',
    'Text/Plain; charset=utf-8',
    'application/vnd.a+json ;v=1',
    'a/b;',
  ])('readForwarded, readForwardedContentType: %j as it came', (contentType) => {
    const lines = contentType === undefined ? [] : [header, contentType];
    expect(readings.map((read) => read(lines))).toEqual([contentType, contentType]);
  });

  test.each([
    // Others would leave open how values are escaped.
    [
      'must be a media type, as application/json',
      ['', 'json', 'application/', '/json', 'a/b, a/b', 'a/b\xa0'],
    ],
    ['holds a character that may not be in a header', ['text/plain;\r\n']],
  ])('readForwarded, readForwardedContentType: %s: %j', (what, types) => {
    for (const type of types)
      for (const read of readings) expect(() => read([header, type])).toThrow(refused(header, what));
  });

  test('readForwarded, readForwardedContentType: refuse a second one', () => {
    const lines = [header, 'text/plain', header.toUpperCase(), 'text/plain'];
    for (const read of readings)
      expect(() => read(lines)).toThrow(refused(header, 'is given more than once'));
  });
});

describe('headerNotes', () => {
  test('headerNotes: names forwarded, refused and stripped headers', () => {
    const stripped = words`
      host cookie authorization x-service-secret-key content-type x-fp-proxy-target-url x-fp-id
    `;
    const forwarded = words`X-Api-Key x-api-key content-type host proxy-x x-fp-id`.map(
      (name) => PREFIX + name,
    );
    const lines = ['Host', 'Cookie', ...stripped, ...forwarded, PREFIX].flatMap((name) => [name, 'a']);
    expect(headerNotes(lines)).toEqual({
      forwarded: ['x-api-key', 'content-type'],
      refused: ['host', 'proxy-x', 'x-fp-id', PREFIX],
      stripped,
    });
  });

  test('headerNotes: a credential put into a name is masked', () => {
    const lines = ['sk_live_abc', 'x', `${PREFIX}sk_live_abc`, 'x', `${PREFIX}proxy-sk_live_abc`, 'x'];
    expect(headerNotes(lines)).toEqual({
      forwarded: ['sk_live_***'],
      refused: ['proxy-sk_live_***'],
      stripped: ['sk_live_***'],
    });
  });

  test('headerNotes: forwarded is exactly what readForwarded gives, where that gives anything', () => {
    const names = fc.oneof(
      fc.constantFrom('host', 'x-a', 'te', 'proxy-a', 'x-fp-a', 'cookie', '__proto__', ''),
      fc.string(),
    );
    const headers = fc.tuple(
      names.chain((name) => fc.constantFrom(name, PREFIX + name)),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(headers), (given) => {
        const lines = given.flat();
        const notes = headerNotes(lines);
        let read: Record<string, string> | undefined;
        try {
          read = forwarded(...lines);
        } catch {
          return;
        }
        expect(notes.refused).toEqual([]);
        // An object lists names that are numbers before the others.
        expect(notes.forwarded.toSorted()).toEqual(Object.getOwnPropertyNames(read).toSorted());
      }),
    );
  });
});

describe('outgoingHeaders', () => {
  test('outgoingHeaders: other headers sent', () => {
    expect(outgoingHeaders({}, 'application/json')).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'service-vault-proxy/1',
      'content-type': 'application/json',
    });
  });

  test('outgoingHeaders: a forwarded header takes the place of a default', () => {
    const own = { accept: 'text/csv', 'accept-encoding': 'gzip', 'user-agent': 'mine', 'x-a': '1' };
    expect(outgoingHeaders(own, undefined)).toEqual(own);
  });

  test('outgoingHeaders: the content type is the one that was decided', () => {
    expect(outgoingHeaders({ 'content-type': 'text/plain' }, 'text/csv')).toHaveProperty(
      'content-type',
      'text/csv',
    );
    expect(outgoingHeaders({ 'content-type': 'text/plain' }, undefined)).not.toHaveProperty('content-type');
  });
});
