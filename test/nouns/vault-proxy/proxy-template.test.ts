import { describe, expect, it } from 'vitest';
import type { Escaping } from '../../../src/nouns/vault-proxy/service/body-format.ts';
import { findTokens, parseTemplate } from '../../../src/nouns/vault-proxy/service/proxy-template.ts';
import { ENTITY, JSON_TYPE, names, parse, refusal, TEXT_TYPE } from './a-template.ts';
import { applied } from '../../vault/transforms/applied.ts';

describe('finding tokens', () => {
  it.each([
    ['a token', 'x {{ id.dob }} y', ['id.dob']],
    ['a token without blanks', '{{id.dob}}', ['id.dob']],
    ['a token over several lines', '{{\r\n\tid.dob\n}}', ['id.dob']],
    ['several, repeats included', '{{id.dob}}{{ id.ssn9 }}{{id.dob}}', ['id.dob', 'id.ssn9', 'id.dob']],
    ['versions and transforms', `{{ id.dob:2 | replace('}','{') }}`, ['id.dob:2']],
    ['a token in a brace more', '{{{id.dob}}}', ['id.dob']],
    ['a token behind many braces', '{{{{{{ id.dob }}', ['id.dob']],
    ['a token inside of other braces', '{{ x {{ id.dob }} }}', ['id.dob']],
    ['a token behind other braces', '{{ x }}{{ id.dob }}', ['id.dob']],
    ['a token before open braces', '{{ id.dob }} {{ id.ssn9', ['id.dob']],
    ['braces that are closed by the next ones', '{ {{ id.dob }}}} }}', ['id.dob']],
    ['none in an empty body', '', []],
    ['none in empty braces', '{{}} {{ }} {{{}}}', []],
    ['none in braces of others', '{{ user.name }} {{#if id.dob}} {{> id.dob }}', []],
    ['none in single braces', '{ id.dob } {id.dob}} { { id.dob }}', []],
    ['none in open braces', '{{ id.dob } }', []],
    ['none in braces that overlap', '{{}', []],
  ])('parseTemplate: finds %s', (_case, body, expected) => {
    expect(names(body)).toEqual(expected);
  });

  it('parseTemplate: gives each token its entity', () => {
    const { tokens } = parse(`{{ id.dob }} {{ fp_bid_x.business.name | to_ascii }}`);
    expect(tokens.map(({ fpId, name }) => [fpId, name])).toEqual([
      [ENTITY, `${ENTITY}.id.dob`],
      ['fp_bid_x', 'fp_bid_x.business.name'],
    ]);
  });

  it('parseTemplate: takes 100 tokens and refuses 101', () => {
    expect(names('{{id.dob}}'.repeat(100))).toHaveLength(100);
    expect(refusal('{{id.dob}}'.repeat(101))).toEqual({
      code: 'proxy_too_many_tokens',
      message: 'The body has more than 100 tokens',
    });
  });

  it('parseTemplate: counts no braces of others', () => {
    expect(names(`${'{{ x }}'.repeat(500)}{{ id.dob }}`)).toEqual(['id.dob']);
  });
});

describe('a token that can not be used', () => {
  it.each([
    [
      'does not parse',
      'x {{ id.dob | }}',
      'Token id.dob: Transforms: a transform name is expected at character 11 (byte 3 of the body)',
    ],
    [
      'names an unknown identifier',
      '🦊{{ id.nonsense }}',
      'Token id.nonsense: unknown identifier (byte 5 of the body)',
    ],
    [
      'holds another',
      '{{ id.dob {{ id.ssn9 }}',
      'Token id.dob: a | or the end is expected at character 9 (byte 1 of the body)',
    ],
    [
      'has braces in an argument',
      `{{ id.dob | replace('}}','') }}`,
      'Token id.dob: Transforms: a quote is not closed; it opens at character 19 (byte 1 of the body)',
    ],
  ])('parseTemplate: refuses a token that %s', (_case, body, message) => {
    expect(refusal(body)).toEqual({ code: 'proxy_token_invalid', message });
  });

  it('parseTemplate: refuses an unknown transform', () => {
    expect(refusal('{{ id.ssn9 }} {{ id.dob:1 | shout }}')).toEqual({
      code: 'transform_invalid',
      message: 'Token id.dob:1: Unknown transform shout (byte 15 of the body)',
    });
  });

  it('parseTemplate: refuses a token without entity when x-fp-id gives none', () => {
    const options = { contentType: TEXT_TYPE, defaultEntity: undefined };
    expect(() => parseTemplate(Buffer.from('{{ id.dob }}'), options)).toThrow(/no header x-fp-id \(byte 1 /);
  });

  it('parseTemplate: refuses a token that is no UTF-8', () => {
    const body = Buffer.from(`\xff{{ id.dob | replace('\xe9','') }}`, 'latin1');
    expect(refusal(body)).toEqual({
      code: 'proxy_token_invalid',
      message: 'Token id.dob: is not valid UTF-8 (byte 2 of the body)',
    });
  });

  it('parseTemplate: reads the arguments of a token as UTF-8', () => {
    const [token] = parse(`\xff{{ id.first_name | replace('é', '🦊') }}`).tokens;
    expect(applied(token?.transforms[0], 'René')).toBe('Ren🦊');
  });

  it.each([String.raw`\'`, String.raw`\x`, String.raw`\u12`, String.raw`\ud83e`])(
    'parseTemplate: refuses %s in a token inside a JSON string',
    (escape) => {
      expect(refusal(`{"a":"{{ id.dob | replace(\\"${escape}\\",\\"\\") }}"}`, JSON_TYPE)).toEqual({
        code: 'proxy_token_invalid',
        message: 'Token id.dob: has an escape that JSON does not know (byte 7 of the body)',
      });
    },
  );

  it.each([String.raw`"\{{ id.dob }}"`, String.raw`"\\\{{ id.dob }}"`, String.raw`"\u00{{ id.dob }}"`])(
    'parseTemplate: refuses %s, whose value would end an escape',
    (body) => {
      const { code, message } = refusal(body, JSON_TYPE);
      expect(code).toBe('proxy_token_invalid');
      expect(message).toContain('Token id.dob: stands behind the backslash of an unfinished escape');
    },
  );

  it.each([
    ['a pair of backslashes', String.raw`"\\{{ id.dob }}"`, JSON_TYPE],
    ['a whole escape', String.raw`"\u0022{{ id.dob }}"`, JSON_TYPE],
    ['a backslash outside of strings', String.raw`\{{ id.dob }}`, JSON_TYPE],
    ['a backslash in a text', String.raw`\{{ id.dob }}`, TEXT_TYPE],
  ])('parseTemplate: takes a token behind %s', (_case, body, contentType) => {
    expect(names(body, contentType)).toEqual(['id.dob']);
  });
});

const bodies: [string, (length: number) => string][] = [
  ['braces', (length) => '{'.repeat(length)],
  ['braces before one that closes', (length) => `${'{'.repeat(length)}}}`],
  ['open braces before one that closes', (length) => `${'{{ '.repeat(length / 3)}}}`],
  ['open braces of others before one that closes', (length) => `${'{{x'.repeat(length / 3)}}}`],
  ['braces of others', (length) => '{{ x }}'.repeat(length / 7)],
  ['empty braces', (length) => '{{}}'.repeat(length / 4)],
  ['closing braces', (length) => '}'.repeat(length)],
  ['blanks behind braces', (length) => `{{${' '.repeat(length)}}}`],
  ['long blanks behind many braces', (length) => `{{${' '.repeat(98)}`.repeat(length / 100) + '}}'],
  ['escaped blanks behind braces', (length) => `"{{${'\\n'.repeat(length / 2)}x}}`],
  ['beginnings of tokens', (length) => `${'{{investor_profile'.repeat(length / 18)}}}`],
  ['quotes', (length) => `${'"'.repeat(length)}{{ id.dob }}`],
  ['strings around braces of others', (length) => '"{{ x }}" '.repeat(length / 10)],
  ['backslashes in a string', (length) => `"${'\\'.repeat(length)}{{ x }}`],
  ['tokens never closed', (length) => '{{ id.dob '.repeat(length / 10)],
];

/** Returns a text that counts how many of its characters are read. */
function countingText(text: string): { text: string; looked: () => number } {
  let looked = 0;
  const members: Record<string, unknown> = {
    length: text.length,
    indexOf: (sought: string, from: number) => {
      const found = text.indexOf(sought, from);
      looked += (found === -1 ? text.length : found + sought.length) - from;
      return found;
    },
    startsWith: (start: string, at: number) => {
      looked += start.length;
      return text.startsWith(start, at);
    },
    slice: (start: number, end: number) => {
      looked += end - start;
      return text.slice(start, end);
    },
  };
  const counting = new Proxy(members, {
    get: (_members, member) => {
      if (typeof member === 'symbol') throw new TypeError('this text is not for reading whole');
      if (!/^[0-9]+$/.test(member)) return members[member];
      looked++;
      return text[Number(member)];
    },
  });
  return { text: counting as unknown as string, looked: () => looked };
}

it.each(bodies)('findTokens: looks at each character a bounded number of times in %s', (_case, bodyOf) => {
  for (const escaping of ['json', 'none'] satisfies Escaping[]) {
    const length = 6_300;
    const { text, looked } = countingText(bodyOf(length));
    expect([...findTokens(text, escaping)].length).toBeLessThanOrEqual(1);
    expect(looked()).toBeLessThan(length * 80);
  }
});
