import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TransformCall } from '../../../src/vault/transforms/index.ts';
import { ChainSyntaxError, parseChain, scanChain } from '../../../src/vault/transforms/index.ts';
import { words } from '../../support/words.ts';
import { refusalOf } from './refusal.ts';

const scan = (text: string): string =>
  scanChain(text, 0)
    .chain.map(({ name, args }) => [name, ...args.map((arg) => `${arg.kind}:${arg.text}`)].join(' '))
    .join(' | ');

it.each([
  ['to_ascii', 'to_ascii'],
  ['to_ascii()', 'to_ascii'],
  ['to_ascii ( )', 'to_ascii'],
  ['prefix(3)', 'prefix integer:3'],
  ['prefix(007)', 'prefix integer:007'],
  ['to_ascii|prefix(3)', 'to_ascii | prefix integer:3'],
  [' \t\r\n to_ascii \n|\t prefix \r( \n 3\t) ', 'to_ascii | prefix integer:3'],
  [`replace('a','b')`, 'replace string:a string:b'],
  [`replace("a","b")`, 'replace string:a string:b'],
  [`replace ( 'a' , "b" )`, 'replace string:a string:b'],
  [`replace('"',"'")`, `replace string:" string:'`],
  [String.raw`replace('\'','\\')`, String.raw`replace string:' string:\ `.trimEnd()],
  [String.raw`replace("\"",'\"')`, 'replace string:" string:"'],
  [String.raw`replace('a\\','\\\'b')`, String.raw`replace string:a\ string:\'b`],
  [`replace('','')`, 'replace string: string:'],
  [`replace('a|b(c),d',' e ')`, 'replace string:a|b(c),d string: e '],
  [`replace('\n\0','🦊')`, 'replace string:\n\0 string:🦊'],
  [`x9_(1,'a',2)`, 'x9_ integer:1 string:a integer:2'],
])('scanChain: reads %j', (text, expected) => {
  expect(scan(text)).toBe(expected);
});

it.each([
  ['nothing', '', 1],
  ['blanks only', '  ', 3],
  ['a dangling pipe', 'to_ascii |', 11],
  ['a leading pipe', '| to_ascii', 1],
  ['two pipes', 'to_ascii || to_ascii', 11],
  ['an upper-case name', 'To_ascii', 1],
  ['a name that begins with a digit', '9a', 1],
  ['a name that begins with an underscore', '_a', 1],
  ['a no-break space as blank', '\u00a0to_ascii', 1],
  ['an open parenthesis', 'prefix(', 8],
  ['an open parenthesis behind an argument', 'prefix(3', 9],
  ['a sign', 'prefix(-1)', 8],
  ['a fraction', 'prefix(1.5)', 9],
  ['letters behind digits', 'prefix(3x)', 9],
  ['a bare word as argument', 'replace(a,b)', 9],
  ['an empty argument', `replace(,'b')`, 9],
  ['a trailing comma', 'prefix(3,)', 10],
  ['nested parentheses', 'prefix((3))', 8],
  ['a transform as argument', 'prefix(suffix(3))', 8],
  ['two strings without a comma', `replace('a' 'b')`, 13],
  ['an unclosed single quote', `hmac_sha256('ab)`, 13],
  ['an unclosed double quote', `hmac_sha256("ab')`, 13],
  ['a quote closed by an escape only', String.raw`hmac_sha256('ab\')`, 13],
  ['an unknown escape', String.raw`replace('\n','')`, 10],
  ['a backslash at the end', `replace('a\\`, 11],
])('scanChain: refuses %s', (_case, text, position) => {
  const refusal = refusalOf(() => scanChain(text, 0));
  expect(refusal).toBeInstanceOf(ChainSyntaxError);
  expect(refusal.code).toBe('transform_invalid');
  expect(refusal.message).toMatch(new RegExp(`at character ${position}$`));
});

it.each(['to_ascii)', 'to_ascii prefix(3)', 'prefix(3)(4)', 'to_ascii, to_ascii', 'to_ascii\0'])(
  'parseChain: refuses what follows a chain: %j',
  (text) => {
    expect(refusalOf(() => parseChain(text))).toBeInstanceOf(ChainSyntaxError);
  },
);

it('scanChain: starts inside a longer text and says where the chain ends', () => {
  const text = `{{ id.dob | to_ascii | replace('}', "") , $.x }}`;
  const { chain, end } = scanChain(text, text.indexOf('|') + 1);
  expect(chain.map((call) => call.name)).toEqual(['to_ascii', 'replace']);
  expect(text.slice(end)).toBe(', $.x }}');
});

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 2 });
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/);
const argument = fc.oneof(
  fc.record({ kind: fc.constant('integer' as const), text: fc.stringMatching(/^[0-9]{1,4}$/) }),
  fc.record({ kind: fc.constant('string' as const), text: fc.string({ unit: 'binary', maxLength: 12 }) }),
);
const chains: fc.Arbitrary<TransformCall[]> = fc.array(
  fc.record({ name, args: fc.array(argument, { maxLength: 3 }) }),
  { minLength: 1, maxLength: 5 },
);

it('scanChain: reads back what was written, whatever the blanks and quotes', () => {
  fc.assert(
    fc.property(chains, space, fc.constantFrom("'", '"'), (chain, blank, quote) => {
      const escaped = (text: string): string => text.replace(/[\\'"]/g, '\\$&');
      const written = chain.map(({ name, args }) => {
        const texts = args.map((arg) =>
          arg.kind === 'integer' ? arg.text : `${quote}${escaped(arg.text)}${quote}`,
        );
        return `${name}${blank}(${blank}${texts.join(`${blank},${blank}`)}${blank})`;
      });
      const text = `${blank}${written.join(`${blank}|${blank}`)}${blank}`;
      expect(scanChain(text, 0)).toEqual({ chain, end: text.length });
    }),
  );
});

it('parseChain: gives transforms or transform_invalid for any text', () => {
  const pieces = words`| ( ) , ' " \\ 3 0 prefix to_ascii replace ab %`;
  const grammarLike = fc
    .array(fc.constantFrom(' ', ...pieces), { maxLength: 20 })
    .map((list) => list.join(''));
  fc.assert(
    fc.property(fc.oneof(grammarLike, fc.string({ unit: 'binary' }), fc.string()), (text) => {
      try {
        expect(parseChain(text).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toMatchObject({ code: 'transform_invalid' });
      }
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['open parentheses', '('.repeat(100_000)],
  ['pipes', '|'.repeat(100_000)],
  ['blanks', ' '.repeat(100_000)],
  ['blanks behind a name', `a${' '.repeat(100_000)}`],
  ['blanks between many names', 'a  '.repeat(33_000)],
  ['letters', 'a'.repeat(100_000)],
  ['digits', `prefix(${'9'.repeat(100_000)}`],
  ['escapes', `replace('${'\\\\'.repeat(50_000)}`],
  ['quotes', `replace(${`'',`.repeat(33_000)}`],
  ['transforms', 'to_ascii|'.repeat(11_000)],
  ['half calls', 'a(1,'.repeat(25_000)],
])('parseChain: comes to an end on 100 KB of %s', (_case, text) => {
  expect(refusalOf(() => parseChain(text)).code).toBe('transform_invalid');
});
