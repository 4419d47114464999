import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyTransformsAtOnce,
  ChainSyntaxError,
  isTransformName,
  parseChain,
  parseTransforms,
  TRANSFORM_NAMES,
  TRANSFORMS,
} from '../../../src/vault/transforms/index.ts';
import { parseRefusal, refusalOf } from './refusal.ts';
import { words } from '../../support/words.ts';

const names = (list: string[]): string[] => parseTransforms(list).map((transform) => transform.name);

describe('parsing transforms', () => {
  it('parseTransforms: keeps the order of the list and of each chain', () => {
    expect(names(['to_ascii | prefix(3)', 'wrap_quotes'])).toEqual(['to_ascii', 'prefix', 'wrap_quotes']);
    expect(names([])).toEqual([]);
  });

  it('parseTransforms: refuses an entry that is no chain', () => {
    expect(refusalOf(() => parseTransforms(['to_ascii', ''])).code).toBe('transform_invalid');
  });

  it('parseTransforms: takes 16 transforms and refuses 17, in one chain or over several', () => {
    const chain = (length: number): string => Array<string>(length).fill('to_ascii').join('|');
    expect(names([chain(16)])).toHaveLength(16);
    expect(names([chain(8), chain(8)])).toHaveLength(16);
    expect(parseRefusal(chain(17)).code).toBe('transform_invalid');
    expect(refusalOf(() => parseTransforms([chain(8), chain(9)])).code).toBe('transform_invalid');
  });

  it('parseChain: takes arguments of 8,192 characters and refuses 8,193', () => {
    for (const character of ['a', '🦊', "\\'"]) {
      const chain = (length: number): string => `replace('${character.repeat(length)}','')`;
      expect(parseChain(chain(8_192))).toHaveLength(1);
      expect(parseRefusal(chain(8_193))).toEqual({
        code: 'transform_invalid',
        message: 'Transform replace: from has more than 8192 characters',
      });
    }
    expect(parseRefusal(`prefix(${'0'.repeat(8_192)}1)`).code).toBe('transform_invalid');
  });

  it.each([
    ['an unknown name', 'to_uper', 'Unknown transform to_uper'],
    ['a name of Object.prototype', 'constructor', 'Unknown transform constructor'],
    ['an unknown name with arguments', `sha256('x')`, 'Unknown transform sha256'],
    ['an argument too many', 'to_ascii(1)', 'Transform to_ascii: takes 0 arguments, not 1'],
    ['no argument for one', 'prefix()', 'Transform prefix: takes 1 arguments, not 0'],
    ['no parentheses for one', 'suffix', 'Transform suffix: takes 1 arguments, not 0'],
    ['one argument for two', `replace('a')`, 'Transform replace: takes 2 arguments, not 1'],
    ['three arguments for two', `replace('a','b','c')`, 'Transform replace: takes 2 arguments, not 3'],
    ['a quoted number for prefix', `prefix('3')`, 'Transform prefix: n must be an unquoted integer'],
    ['a quoted number for suffix', `suffix("3")`, 'Transform suffix: n must be an unquoted integer'],
    ['a number for replace', `replace(1,'b')`, 'Transform replace: from must be quoted'],
    ['a number as second argument', `replace('a',2)`, 'Transform replace: to must be quoted'],
    ['a number as key', 'hmac_sha256(1234)', 'Transform hmac_sha256: key must be quoted'],
    ['prefix(0)', 'prefix(0)', 'Transform prefix: n must be at least 1'],
    ['suffix(000)', 'suffix(000)', 'Transform suffix: n must be at least 1'],
    ['an empty from', `replace('','b')`, 'Transform replace: from must not be empty'],
    ['a wrong second transform', 'to_ascii | prefix(0)', 'Transform prefix: n must be at least 1'],
  ])('parseChain: refuses %s', (_case, chain, message) => {
    expect(parseRefusal(chain)).toEqual({ code: 'transform_invalid', message });
  });

  it('parseChain: distinguishes a chain that does not parse from one with an unknown name', () => {
    expect(refusalOf(() => parseChain('to_ascii |'))).toBeInstanceOf(ChainSyntaxError);
    expect(refusalOf(() => parseChain('nonsense'))).not.toBeInstanceOf(ChainSyntaxError);
  });

  it('parseChain: repeats no argument in a message, nor a key written in the place of a name', () => {
    const secrets = fc.stringMatching(/^[a-f][0-9a-f]{31,70}$/);
    const leaks = [
      (secret: string) => secret,
      (secret: string) => `to_ascii | ${secret}`,
      (secret: string) => `to_ascii('${secret}')`,
      (secret: string) => `prefix('${secret}')`,
      (secret: string) => `hmac_sha256(${secret})`,
      (secret: string) => `hmac_sha256('${secret}`,
      (secret: string) => `hmac_sha256('${secret}g')`,
      (secret: string) => `hmac_sha256('${secret}' '${secret}')`,
      (secret: string) => `encrypt('${secret}','00')`,
      (secret: string) => `encrypt('rsa_pkcs1v15','${secret}')`,
      (secret: string) => `encrypt('x25519_xsalsa20_poly1305','${secret}zz')`,
      (secret: string) => `date_format('${secret}%Q','%Y')`,
      (secret: string) => `replace('${secret}\\x','')`,
      (secret: string) => `replace('${secret}')`,
      (secret: string) => `to_ascii ${secret}`,
    ];
    fc.assert(
      fc.property(secrets, fc.constantFrom(...leaks), (secret, write) => {
        const { code, message } = parseRefusal(write(secret));
        expect(code).toBe('transform_invalid');
        expect(message).not.toContain(secret.slice(0, 25));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the catalogue', () => {
  it('TRANSFORM_NAMES: are those of the specification, in its order', () => {
    expect(TRANSFORM_NAMES).toEqual(
      words`
        to_lowercase to_uppercase to_ascii prefix suffix replace date_format hmac_sha256 encrypt wrap_quotes
      `,
    );
    expect(isTransformName('to_ascii')).toBe(true);
    expect(isTransformName('toString')).toBe(false);
  });

  it.each(TRANSFORM_NAMES.filter((name) => name !== 'encrypt'))(
    'TRANSFORMS: the example of %s parses',
    (name) => {
      expect(names([TRANSFORMS[name].example])).toEqual([name]);
    },
  );

  it('parseChain: gives transforms that may be used again and again', () => {
    const transforms = parseChain(`date_format('%Y-%m-%d%z','%d') | hmac_sha256('0b')`);
    const once = applyTransformsAtOnce(transforms, '1988-12-30+0100');
    expect(applyTransformsAtOnce(transforms, '1988-12-30+0100')).toBe(once);
  });
});
