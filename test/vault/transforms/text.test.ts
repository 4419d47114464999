import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { TransformInput } from '../../../src/vault/transforms/index.ts';
import { applyTransformsAtOnce, parseChain } from '../../../src/vault/transforms/index.ts';
import { failureOf } from './refusal.ts';

const apply = (chain: string, value: TransformInput): unknown =>
  applyTransformsAtOnce(parseChain(chain), value);

describe('text transforms', () => {
  it.each([
    ['to_lowercase', 'JANE Doe', 'jane doe'],
    ['to_lowercase', 'ISTANBUL', 'istanbul'],
    ['to_lowercase', 'ΌΔΟΣ', 'όδος'],
    ['to_uppercase', 'istanbul', 'ISTANBUL'],
    ['to_uppercase', 'straße ﬁ', 'STRASSE FI'],
    ['to_uppercase', '\0\ud83d🦊', '\0\ud83d🦊'],
    ['to_ascii', 'Zoë Ångström', 'Zoe Angstrom'],
    ['to_ascii', 'ßæÆøØđĐłŁœŒþÞðÐı', 'ssaeAEoOdDlLoeOEthThdDi'],
    ['to_ascii', 'Ǿǽ', 'Oae'],
    ['to_ascii', 'ﬁ ½ Ⅳ ｆｕｌｌ №', 'fi 1/2 IV full No'],
    ['to_ascii', '123½ 10² ½7 1①2 m² 1🦊2', '123 1/2 10^2 1/2 7 1 1 2 m2 1 2'],
    ['to_ascii', '１２٣ 1⁄2 1\u200b2 5\u202f000', '123 1/2 12 5 000'],
    ['to_ascii', 'Жуков Αθήνα 한국 東京', 'Zhukov Athina HanGug DongJing'],
    ['to_ascii', 'e\u0301\u0302 x', 'e x'],
    ['to_ascii', 'a–b“c”🦊李Ж\ud83dẞ\u0080', 'a-b"c"LiZhSs'],
    ['to_ascii', '\0\t~\u007f', '\0\t~\u007f'],
    ['prefix(2)', '\ud83d🦊x', '\ud83d🦊'],
    ['prefix(99999999999999999999999)', 'Jane', 'Jane'],
    ['suffix(2)', 'x🦊\udd8a', '🦊\udd8a'],
    ['suffix(004)', '078051120', '1120'],
    [`replace('-','')`, '078-05-1120', '078051120'],
    [`replace('aa','b')`, 'aaaaa', 'bba'],
    [`replace('a','aa')`, 'aba', 'aabaa'],
    [`replace('.','x')`, 'a.b', 'axb'],
    [`replace('a','$&$1$$')`, 'bab', 'b$&$1$$b'],
    [`replace('x','y')`, 'abc', 'abc'],
    [`replace('\0','n')`, 'a\0b', 'anb'],
    ['wrap_quotes', 'say "hi"\\', '"say "hi"\\"'],
    ['wrap_quotes', '', '""'],
  ])('applyTransformsAtOnce: %s of %j', (chain, value, expected) => {
    expect(apply(chain, value)).toBe(expected);
  });

  it.each(['to_lowercase', 'to_uppercase', 'to_ascii', 'prefix(1)', 'suffix(1)', `replace('a','b')`])(
    'applyTransformsAtOnce: %s of the empty text is empty',
    (chain) => {
      expect(apply(chain, '')).toBe('');
    },
  );

  it('prefix, suffix: count code points and leave the rest of the value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 12 }), (value, n) => {
        const codePoints = Array.from(value);
        expect(apply(`prefix(${n})`, value)).toBe(codePoints.slice(0, n).join(''));
        expect(apply(`suffix(${n})`, value)).toBe(codePoints.slice(-n).join(''));
      }),
    );
  });

  it('to_ascii: gives ASCII and keeps ASCII, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (value, ascii) => {
        expect(apply('to_ascii', `a${value}`)).toMatch(/^a[\0-\x7f]*$/);
        expect(apply('to_ascii', ascii)).toBe(ascii);
      }),
    );
  });
});

test.each(['🦊🦊', '\u0301', '\ud83d'])('to_ascii: %j would be empty, which is an error', (value) => {
  expect(failureOf(() => apply('to_ascii', value))).toMatchObject({
    message: 'transform to_ascii failed: the text would be empty, since ASCII can write none of it',
  });
});

test.each([`date_format('YYYY-MM-DD','%Y')`, `date_format('%Y','YYYY')`, `date_format('','')`])(
  '%s: a pattern without %% is refused',
  (chain) => {
    expect(() => apply(chain, '2000-01-01')).toThrow(/has no %: its parts are written as in %Y-%m-%d/);
  },
);

it.each([
  ['a number', 424, '424'],
  ['a boolean', false, 'false'],
  ['a list', ['a', 1, null], '["a",1,null]'],
  ['an object', { b: 1, a: { c: 'ë' } }, '{"b":1,"a":{"c":"ë"}}'],
])('applyTransformsAtOnce: %s becomes its compact JSON text', (_case, value, expected) => {
  expect(apply('to_lowercase', value)).toBe(expected);
});

it.each([null, 'text', 1, true, { a: [1] }, new Uint8Array([1, 2])])(
  'applyTransformsAtOnce: an empty list gives %j back unchanged',
  (value) => {
    expect(applyTransformsAtOnce([], value)).toBe(value);
  },
);

it('applyTransformsAtOnce: null passes through every transform', () => {
  expect(apply(`to_ascii | hmac_sha256('0b') | date_format('%Y','%y') | wrap_quotes`, null)).toBeNull();
});

it('applyTransformsAtOnce: works left to right', () => {
  expect(apply(`prefix(2) | to_uppercase | wrap_quotes | suffix(2)`, 'jane')).toBe('A"');
  expect(apply(`to_uppercase | replace('j','x')`, 'jane')).toBe('JANE');
});

it.each([
  'to_lowercase',
  'to_uppercase',
  'to_ascii',
  'prefix(1)',
  'suffix(1)',
  `replace('a','b')`,
  `date_format('%Y','%Y')`,
  'wrap_quotes',
])('applyTransformsAtOnce: %s as first transform on a file fails', (chain) => {
  const name = chain.split('(')[0];
  expect(failureOf(() => apply(`${chain} | hmac_sha256('0b')`, new Uint8Array([97])))).toEqual({
    code: 'transform_failed',
    message: `transform ${name} failed`,
    transform: name,
  });
});

it('applyTransformsAtOnce: a result of more than 64 Mi characters fails instead of exhausting memory', () => {
  const grow = `replace('a','${'a'.repeat(8_192)}')`;
  expect(failureOf(() => apply(`${grow} | ${grow} | wrap_quotes`, 'a')).transform).toBe('wrap_quotes');
  expect(failureOf(() => apply(`to_lowercase | ${grow}`, 'a'.repeat(70_000))).transform).toBe('replace');
});
