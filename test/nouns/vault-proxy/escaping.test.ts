import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/kernel/text/json.ts';
import {
  contentTypeOf,
  type TokenContext,
  escapedPieces,
  escapingOf,
  JsonStrings,
  unescapeJson,
} from '../../../src/nouns/vault-proxy/service/body-format.ts';
import { nastyText } from './a-template.ts';

const escapeValue = (...parts: Parameters<typeof escapedPieces>) => [...escapedPieces(...parts)].join('');
const write = (value: JsonValue, place: TokenContext): string =>
  escapeValue(value, place, { isWrapped: false });

describe('writing a value', () => {
  it.each<[TokenContext, JsonValue, string]>([
    ['none', 'a "b" \\ \n&<é🦊', 'a "b" \\ \n&<é🦊'],
    ['none', 12.5, '12.5'],
    ['none', true, 'true'],
    ['none', null, 'null'],
    ['none', { a: [1, 'x y'] }, '{"a":[1,"x y"]}'],
    ['json', 'a "b" \\ \n', 'a "b" \\ \n'],
    ['json', '424', '424'],
    ['json', 424, '424'],
    ['json', null, 'null'],
    ['json', ['US', 'MX'], '["US","MX"]'],
    ['json_string', 'plain', 'plain'],
    ['json_string', 'a "b" \\ \n\t\0', String.raw`a \"b\" \\ \n\t\u0000`],
    ['json_string', 'é🦊/\u2028', 'é🦊/\u2028'],
    ['json_string', false, 'false'],
    ['json_string', null, 'null'],
    ['json_string', { a: ['"'] }, String.raw`{\"a\":[\"\\\"\"]}`],
    ['form', 'a b+c', 'a+b%2Bc'],
    ['form', 'AZaz09*-._', 'AZaz09*-._'],
    ['form', "~!'()", '%7E%21%27%28%29'],
    ['form', 'x&y=z%\r\n', 'x%26y%3Dz%25%0D%0A'],
    ['form', 'é🦊', '%C3%A9%F0%9F%A6%8A'],
    ['form', [1, 'a b'], '%5B1%2C%22a+b%22%5D'],
    ['form', '', ''],
  ])('escapedPieces: in %s, %j is %j', (place, value, text) => {
    expect(write(value, place)).toBe(text);
  });

  it.each<[string, JsonValue, string]>([
    ['a wrapped text', '"Jane"', '"Jane"'],
    ['quotes and backslashes inside', '"a "b" \\ \n"', String.raw`"a \"b\" \\ \n"`],
    ['an empty text', '""', '""'],
    ['a mask without quotes', '***', '"***"'],
    ['a single quote', '"', String.raw`"\""`],
    ['null, which no transform changes', null, 'null'],
  ])('escapedPieces: between JSON strings wrap_quotes makes a JSON string of %s', (_case, value, text) => {
    expect(escapeValue(value, 'json', { isWrapped: true })).toBe(text);
  });

  it.each<[TokenContext, string]>([
    ['json_string', String.raw`\"a\"b\"`],
    ['form', '%22a%22b%22'],
    ['none', '"a"b"'],
  ])('escapedPieces: in %s the quotes of wrap_quotes are text', (place, text) => {
    expect(escapeValue('"a"b"', place, { isWrapped: true })).toBe(text);
  });

  it('escapedPieces: a JSON reader returns values that are no text', () => {
    const values = fc.jsonValue({ maxDepth: 3 }).filter((value) => typeof value !== 'string');
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(write(value as JsonValue, 'json'))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('escapedPieces: throws for no text, half surrogate pairs included', () => {
    const places: TokenContext[] = ['json', 'json_string', 'form', 'none'];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.boolean(), anyHalves, (place, isWrapped, text) => {
        expect(typeof escapeValue(text, place, { isWrapped })).toBe('string');
      }),
    );
    expect(JSON.parse(`"${write('a\ud83e', 'json_string')}"`)).toBe('a\ud83e');
  });
});

const anyHalves = fc.string({ unit: fc.constantFrom('\ud83e', '\udd8a', 'a', '"', '\\') });

describe('reading a piece of a JSON string', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    [String.raw`\"\\\/\b\f\n\r\t`, '"\\/\b\f\n\r\t'],
    [String.raw`a\u0041\u00e9\u00E9b`, 'aAééb'],
    [String.raw`\ud83e\udd8a`, '🦊'],
    [String.raw`\\u0041\\n`, String.raw`\u0041\n`],
    ['"quotes" and\nlines as they are', '"quotes" and\nlines as they are'],
  ])('unescapeJson: %j says %j', (text, parsed) => {
    expect(unescapeJson(text)).toBe(parsed);
  });

  const NONE = String.raw`\' \x41 \0 \N a\ \u \u004 \u00g1 \u+041 \U0041 \ud83e \udd8a \udd8a\ud83e \ud83ex`;
  it.each(NONE.split(' '))('unescapeJson: %j says nothing', (text) => {
    expect(unescapeJson(text)).toBeUndefined();
  });

  it('unescapeJson: reads back what JSON writes, whatever is escaped', () => {
    const asEscapes = (text: string): string =>
      Array.from(
        { length: text.length },
        (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
      ).join('');
    fc.assert(
      fc.property(nastyText, (text) => {
        expect(unescapeJson(JSON.stringify(text).slice(1, -1))).toBe(text);
        expect(unescapeJson(asEscapes(text))).toBe(text);
      }),
    );
  });
});

describe('strings of a JSON template', () => {
  /** Returns whether each `^` of the text lies in a string. */
  const marks = (text: string): boolean[] => {
    const strings = new JsonStrings(text);
    return [...text.matchAll(/\^/g)].map(({ index }) => strings.contain(index));
  };

  it.each([
    ['^', [false]],
    ['"^"^', [true, false]],
    ['{"a^": ^, "b": ["^", ^]}', [true, false, true, false]],
    [String.raw`"\"^" ^`, [true, false]],
    [String.raw`"\\" ^`, [false]],
    [String.raw`"\\\"^"`, [true]],
    [String.raw`"\u0022^" ^`, [true, false]],
    [String.raw`\"^" ^`, [true, false]],
    [String.raw`^\^"^`, [false, false, true]],
    ['"never closed ^ { ^', [true, true]],
    ['"over\nlines ^"', [true]],
    ["'^'", [false]],
    ['""^"" "^"', [false, true]],
  ])('JsonStrings: finds the quotation marks of %j', (text, expected) => {
    expect(marks(text)).toEqual(expected);
  });

  it('JsonStrings: omits skipped text', () => {
    const text = '"a {{ " }} b" {{ " }} c';
    const strings = new JsonStrings(text);
    expect(strings.contain(3)).toBe(true);
    strings.skipTo(10);
    expect(strings.contain(11)).toBe(true);
    expect(strings.contain(14)).toBe(false);
    strings.skipTo(21);
    expect(strings.contain(text.length)).toBe(false);
  });

  it('JsonStrings: distinguishes strings from the rest in any JSON text', () => {
    const values = fc.jsonValue({ stringUnit: fc.constantFrom('"', '\\', '{', 'a', '\n', '\u007f') });
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value, null, 1);
        const strings = new JsonStrings(text);
        let seen = '';
        for (let at = 0; at < text.length; at++) if (!strings.contain(at)) seen += text[at] ?? '';
        // Only the closing quote of a string lies outside, because the position after the opening quote is inside.
        const literal = /"(?:[^"\\]|\\.)*"/g;
        expect(seen).toBe(text.replace(literal, '"'));
      }),
    );
  });

  it.each([
    [String.raw`"\^`, true],
    [String.raw`"\\\^`, true],
    [String.raw`"\u^`, true],
    [String.raw`"\u00e^`, true],
    [String.raw`"\\^`, false],
    [String.raw`"\n^`, false],
    [String.raw`"\u00e9^`, false],
    [String.raw`"\ux^`, false],
    [String.raw`"\nu00^`, false],
    [String.raw`"a"\^`, false],
    [String.raw`"\"\\"^`, false],
    ['^', false],
  ])('JsonStrings: finds whether an escape is open at the mark of %j', (text, isOpen) => {
    expect(new JsonStrings(text).leaveEscapeOpenAt(text.indexOf('^'))).toBe(isOpen);
  });
});

describe('content type sent', () => {
  it.each([
    ['an object', '{"a":1}'],
    ['a list with blanks around it', ' [1, 2]\n'],
    ['a text with a token in it', '"{{ id.first_name }}"'],
    ['a number', '12'],
    ['a byte order mark', '\ufeff{}'],
    ['letters beyond ASCII', '"é🦊"'],
  ])('contentTypeOf: is JSON for %s', (_case, body) => {
    expect(contentTypeOf(Buffer.from(body), undefined)).toBe('application/json');
  });

  it.each([
    ['a token outside of strings', Buffer.from('{"a":{{ id.first_name }}}')],
    ['words', Buffer.from('first name: {{ id.first_name }}')],
    ['blanks only', Buffer.from('  ')],
    ['a JSON text that is no UTF-8', Buffer.from('"\xe9"', 'latin1')],
    ['bytes', Buffer.from([0, 0xff, 0x80])],
  ])('contentTypeOf: is plain text for %s', (_case, body) => {
    expect(contentTypeOf(body, undefined)).toBe('text/plain; charset=utf-8');
  });

  it('contentTypeOf: undefined for an empty body', () => {
    expect(contentTypeOf(Buffer.alloc(0), undefined)).toBeUndefined();
  });

  it.each(['{"a":1}', 'words', ''])('contentTypeOf: is the forwarded one for %j', (body) => {
    expect(contentTypeOf(Buffer.from(body), 'Text/XML; charset=latin1')).toBe('Text/XML; charset=latin1');
  });
});

it.each([
  ['application/json', 'json'],
  ['application/json; charset=utf-8', 'json'],
  ['Application/JSON ;Charset="UTF-8"', 'json'],
  [' application/json ', 'json'],
  ['application/problem+json', 'json'],
  ['application/vnd.example.v2+JSON; q=1', 'json'],
  ['application/x-www-form-urlencoded', 'form'],
  ['APPLICATION/x-www-FORM-urlencoded;charset=utf-8', 'form'],
  ['text/plain; charset=utf-8', 'none'],
  ['text/plain; note=application/json', 'none'],
  ['application/jsonp', 'none'],
  ['application/json-seq', 'none'],
  ['application/xml', 'none'],
  ['multipart/form-data; boundary=x', 'none'],
  ['json', 'none'],
  ['', 'none'],
  [undefined, 'none'],
])('escapingOf: %s is %s', (contentType, escaping) => {
  expect(escapingOf(contentType)).toBe(escaping);
});
