import { describe, expect, it } from 'vitest';
import { contentTypeOf, escapingOf } from '../../../src/nouns/vault-proxy/service/body-format.ts';

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
