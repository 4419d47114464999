import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTokenShaped, parseToken } from '../../../src/nouns/vault-proxy/service/proxy-template.ts';
import { refusalOf } from '../../vault/transforms/refusal.ts';
import { applied } from '../../vault/transforms/applied.ts';
import { words } from '../../support/words.ts';

const ENTITY = 'fp_id_7pd0Wzk2nCzpYGkQxe3Vt1';
const DEFAULT = 'fp_bid_0aB3cD5eF7gH9iJ1kL3mN5';

const read = (text: string, defaultEntity: string | undefined = DEFAULT) => {
  const { fpId, reference, transforms, name } = parseToken(text, defaultEntity);
  const names = transforms.map((transform) => transform.name);
  return { fpId, text: reference.text, version: reference.version, names, name };
};

const refusal = (text: string, defaultEntity: string | undefined = DEFAULT) => {
  const { code, message, context } = refusalOf(() => parseToken(text, defaultEntity));
  expect(context).toBeUndefined();
  return { code, message };
};

describe('shape of a token', () => {
  it.each([
    'fp_ x',
    ' \t\r\nid.dob\n',
    'id.no such thing',
    'id.dob | | nonsense',
    ...words`
    fp_ fp_x fp_id_x.id.dob id. id.dob custom.a investor_profile.occupation document.passport.dob card.a.number
    bank.a.name business.name
  `,
  ])('isTokenShaped: %j is a token', (text) => {
    expect(isTokenShaped(text)).toBe(true);
  });

  it.each([
    '',
    ' ',
    'id dob',
    'id .dob',
    '\u00a0id.dob',
    '\0id.dob',
    '#if id.dob',
    ...words`
    id ID.dob FP_x fp fp-x x.id.dob identity.dob user.id documents.a investor_profiles.a order.number |id.dob
    {id.dob
  `,
  ])('isTokenShaped: %j is not', (text) => {
    expect(isTokenShaped(text)).toBe(false);
  });

  it('isTokenShaped: starts inside a longer text', () => {
    expect(isTokenShaped('{{ id.dob }}', 2)).toBe(true);
    expect(isTokenShaped('id.dob {{ x }}', 9)).toBe(false);
  });
});

describe('reading a token', () => {
  const STAKE = 'business.beneficial_owners.a.ownership_stake';
  it.each([
    [`${ENTITY}.id.dob`, ENTITY, 'id.dob', undefined],
    ['id.dob', DEFAULT, 'id.dob', undefined],
    [' \t\r\n id.dob \n', DEFAULT, 'id.dob', undefined],
    ['fp_bid_x.business.name', 'fp_bid_x', 'business.name', undefined],
    ['fp_.id.dob', 'fp_', 'id.dob', undefined],
    ['id.dob:3', DEFAULT, 'id.dob:3', 3],
    [` ${ENTITY}.id.dob:0012 `, ENTITY, 'id.dob:0012', 12],
    ['card.my-Card_1.number', DEFAULT, 'card.my-Card_1.number', undefined],
    ['custom.a.b-c_D', DEFAULT, 'custom.a.b-c_D', undefined],
    ['custom.fp_x.id.dob', DEFAULT, 'custom.fp_x.id.dob', undefined],
    [STAKE, DEFAULT, STAKE, undefined],
  ])('parseToken: reads %j', (text, fpId, reference, version) => {
    expect(read(text)).toEqual({ fpId, text: reference, version, names: [], name: `${fpId}.${reference}` });
  });

  it.each([
    ['id.dob|to_ascii', ['to_ascii']],
    ['id.dob | to_ascii', ['to_ascii']],
    ['id.dob:2\n|\tto_ascii | prefix( 3 )|wrap_quotes ', ['to_ascii', 'prefix', 'wrap_quotes']],
    [`id.dob | replace("a | b", '}') | suffix(1)`, ['replace', 'suffix']],
  ])('parseToken: reads the transforms of %j', (text, names) => {
    expect(read(text).names).toEqual(names);
  });

  it('parseToken: resolves the escapes of arguments', () => {
    const [replace] = parseToken(String.raw`id.dob | replace('\'', "\"\\")`, DEFAULT).transforms;
    expect(applied(replace, "o'clock")).toBe(String.raw`o"\clock`);
  });

  it('parseToken: needs no default entity when the token names one', () => {
    expect(parseToken(`${ENTITY}.id.dob`, undefined).fpId).toBe(ENTITY);
  });
});

describe('a token that does not parse', () => {
  const UNKNOWN = 'unknown identifier';
  const ENTITY_ONLY = 'a dot and an identifier are expected behind the entity';
  const VERSION = 'the number of a version is expected behind the colon';
  const END = 'a | or the end is expected at character';
  const NAME = 'Transforms: a transform name is expected at character';
  it.each([
    ['', `: ${UNKNOWN}`],
    ['id.nonsense', ` id.nonsense: ${UNKNOWN}`],
    ['fp_x.id.nonsense', ` fp_x.id.nonsense: ${UNKNOWN}`],
    ['id.', ` id.: ${UNKNOWN}`],
    ['card..number', ` card..number: ${UNKNOWN}`],
    ['fp_x', ` fp_x: ${ENTITY_ONLY}`],
    ['fp_x-y.id.dob', ` fp_x-y.id.dob: ${ENTITY_ONLY}`],
    ['fp_x.fp_y.id.dob', ` fp_x.fp_y.id.dob: ${UNKNOWN}`],
    ['id.dob:', ` id.dob:: ${VERSION}`],
    ['id.dob:last', ` id.dob:last: ${VERSION}`],
    ['id.dob: 1', ` id.dob:: ${VERSION}`],
    ['id.dob:-1', ` id.dob:-1: ${VERSION}`],
    ['id.dob:1a', ` id.dob:1a: ${END} 9`],
    ['id.dob:1:2', ` id.dob:1:2: ${END} 9`],
    ['id.dob to_ascii', ` id.dob: ${END} 8`],
    ['id.dobé', ` id.dob: ${END} 7`],
    ['id.dob, id.ssn9', ` id.dob: ${END} 7`],
    ['id.dob | to_ascii now', ` id.dob: ${END} 19`],
    ['id.dob |', ` id.dob: ${NAME} 9`],
    ['id.dob | to_ascii | ', ` id.dob: ${NAME} 21`],
    ['id.dob || to_ascii', ` id.dob: ${NAME} 9`],
    [`id.dob | replace('a', 'b)`, ' id.dob: Transforms: a quote is not closed; it opens at character 23'],
    [
      'id.dob | prefix(3',
      ' id.dob: Transforms: a comma or a closing parenthesis is expected at character 18',
    ],
  ])('parseToken: refuses %j', (text, what) => {
    expect(refusal(text)).toEqual({ code: 'proxy_token_invalid', message: `Token${what}` });
  });

  it('parseToken: refuses a token without entity when x-fp-id gives none', () => {
    expect(() => parseToken('id.dob:2 | to_ascii', undefined)).toThrow(
      expect.objectContaining({
        code: 'proxy_token_invalid',
        message: 'Token id.dob:2: names no entity, and there is no header x-fp-id',
      }),
    );
  });

  it.each([
    ['an unknown transform', 'id.dob | shout', 'Token id.dob: Unknown transform shout'],
    [
      'an argument too many',
      'id.dob:3|to_ascii(1)',
      'Token id.dob:3: Transform to_ascii: takes 0 arguments, not 1',
    ],
  ])('parseToken: refuses %s as a transform', (_case, text, message) => {
    expect(refusal(text)).toEqual({ code: 'transform_invalid', message });
  });

  it.each([
    ['an unknown identifier', 'id.nonsense | shout'],
    ['a dangling pipe', 'id.dob | shout |'],
  ])('parseToken: says %s before an unknown transform', (_case, text) => {
    expect(refusal(text).code).toBe('proxy_token_invalid');
  });

  it('parseToken: says a missing entity before an unknown transform', () => {
    expect(refusalOf(() => parseToken('id.dob | shout', undefined)).code).toBe('proxy_token_invalid');
  });
});

describe('display of a token', () => {
  const KEY = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';

  it.each([
    ['an unknown identifier', `id.${KEY}`, 'Token id.sk_test_***: unknown identifier'],
    [
      'an identifier',
      `custom.${KEY} x`,
      'Token custom.sk_test_***: a | or the end is expected at character 41',
    ],
    ['the name of a transform', 'id.dob | sk_test_4ec39', 'Token id.dob: Unknown transform sk_test_***'],
  ])('parseToken: takes a credential out of %s', (_case, text, message) => {
    expect(refusal(text).message).toBe(message);
  });

  it('parseToken: takes a credential out of the name, and not out of the reference', () => {
    const token = parseToken(`${ENTITY}.custom.${KEY}`, undefined);
    expect(token.name).toBe(`${ENTITY}.custom.sk_test_***`);
    expect(token.reference.text).toBe(`custom.${KEY}`);
  });

  it('parseToken: cuts a name that nothing real has', () => {
    const long = 'x'.repeat(1_000);
    expect(refusal(`id.${long}`).message).toBe(`Token id.${'x'.repeat(253)}…: unknown identifier`);
    expect(parseToken(`fp_${long}.id.dob`, undefined)).toMatchObject({
      fpId: `fp_${long}`,
      name: `fp_${'x'.repeat(253)}…`,
    });
  });

  it('parseToken: shows the longest identifier of an entity whole', () => {
    const name = `${DEFAULT}.custom.${'x'.repeat(200)}:12`;
    expect(parseToken(name, undefined).name).toBe(name);
  });

  it('parseToken: repeats nothing after the identifier', () => {
    const secrets = fc.stringMatching(/^[a-f][0-9a-f]{31,70}$/);
    const leaks = [
      ' #',
      "'#'",
      ' | #',
      " | hmac_sha256('#",
      ' | hmac_sha256(#)',
      " | hmac_sha256('#g')",
      " | replace('#')",
      " | encrypt('rsa_pkcs1v15','#')",
      ' | to_ascii #',
      " | replace('#', '') #",
    ];
    fc.assert(
      fc.property(secrets, fc.constantFrom(...leaks), (secret, written) => {
        const { message } = refusal(`id.dob${written.replaceAll('#', secret)}`);
        expect(message).not.toContain(secret.slice(0, 8));
      }),
    );
  });
});

describe('for every token', () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 3 });
  const entity = fc.stringMatching(/^fp_[A-Za-z0-9_]{0,24}$/);
  const identifier = fc.oneof(
    fc.constantFrom('id.dob', 'investor_profile.occupation', 'business.name', 'document.passport.dob'),
    fc.stringMatching(/^custom\.[A-Za-z0-9\-_.]{1,30}$/),
    fc.stringMatching(/^(card\.[A-Za-z0-9\-_]{1,12}\.number|bank\.[A-Za-z0-9\-_]{1,12}\.name)$/),
  );
  const version = fc.option(fc.stringMatching(/^[0-9]{1,5}$/), { nil: undefined });
  const chain = fc.array(fc.constantFrom('to_ascii', 'prefix(3)', `replace('a|b', "}{")`), { maxLength: 4 });

  it('parseToken: parses its own output, with any blanks', () => {
    fc.assert(
      fc.property(
        ...([fc.option(entity, { nil: undefined }), identifier, version, chain, space] as const),
        (fpId, name, digits, calls, blank) => {
          const reference = digits === undefined ? name : `${name}:${digits}`;
          const written = [fpId === undefined ? reference : `${fpId}.${reference}`, ...calls];
          const text = `${blank}${written.join(`${blank}|${blank}`)}${blank}`;
          expect(isTokenShaped(text)).toBe(true);
          expect(read(text)).toMatchObject({
            fpId: fpId ?? DEFAULT,
            text: reference,
            version: digits === undefined ? undefined : Number(digits),
            names: calls.map((call) => call.replace(/\(.*/, '')),
          });
        },
      ),
    );
  });

  it('parseToken: gives a token, proxy_token_invalid or transform_invalid for any text', () => {
    const pieces = words`fp_x . : | ( ) , ' " \\ 3 é { } id.dob custom.a prefix to_ascii replace`;
    const tokenLike = fc.string({ unit: fc.constantFrom(' ', ...pieces), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(tokenLike, fc.string({ unit: 'binary' })), (text) => {
        try {
          expect(parseToken(text, undefined).fpId).toMatch(/^fp_/);
        } catch (error) {
          expect(['proxy_token_invalid', 'transform_invalid']).toContain((error as { code?: string }).code);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['blanks', `id.dob${' '.repeat(1_000_000)}x`],
    ['letters of an entity', `fp_${'a'.repeat(1_000_000)}`],
    ['letters of an identifier', `id.${'a'.repeat(1_000_000)}`],
    ['digits of a version', `id.dob:${'9'.repeat(1_000_000)}x`],
    ['pipes', `id.dob ${'|'.repeat(1_000_000)}`],
    ['transforms', `id.dob ${'|to_ascii'.repeat(100_000)}`],
    ['an unclosed quote', `id.dob | replace('${'a'.repeat(1_000_000)}`],
    ['dots', `fp_x${'.'.repeat(1_000_000)}`],
  ])('parseToken: finishes on 1 MB of %s', (_case, text) => {
    expect(refusal(text).message.length).toBeLessThan(400);
  });
});
