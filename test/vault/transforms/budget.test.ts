/**
 * No request can stop or block the daemon with transforms. The work is counted in steps, is done in slices, and ends
 * with the budget of the request. The tests count steps and measure no time, so a busy machine doesn't change the
 * results.
 */
import { generateKeyPairSync } from 'node:crypto';
import nacl from 'tweetnacl';
import { describe, expect, test } from 'vitest';
import {
  applyTransforms,
  applyTransformsAtOnce,
  BudgetSpent,
  parseChain,
  parseTransforms,
  TransformBudget,
} from '../../../src/vault/transforms/index.ts';
import { ECIES, encryptChain, RSA, SEALED_BOX, spki } from './encryption.ts';
import '../../support/tier-all.ts';

const MIB = 2 ** 20;
const STEPS_PER_TURN = 2 ** 20;

/** Makes a budget that counts its turns, its steps, and the most steps between two turns. */
function watched(limits: ConstructorParameters<typeof TransformBudget>[0] = {}) {
  let turns = 0;
  let longest = 0;
  let steps = 0;
  let total = 0;
  class Watched extends TransformBudget {
    override spend(of: number): Promise<void> | undefined {
      total += of;
      const turn = super.spend(of);
      steps = turn ? of : steps + of;
      longest = Math.max(longest, steps);
      return turn;
    }
  }
  const budget = new Watched(limits, () => {
    turns++;
    return Promise.resolve();
  });
  return {
    budget,
    get turns() {
      return turns;
    },
    get longest() {
      return longest;
    },
    get total() {
      return total;
    },
  };
}

const run = (chain: string, value: string | Uint8Array, budget: TransformBudget) =>
  applyTransforms(parseChain(chain, budget), value, budget);

const p256 = spki(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey);
const LONG_NEEDLE = 'a'.repeat(4_000) + 'b' + 'a'.repeat(4_000);

describe('slices', () => {
  test.each([
    ['to_lowercase', 'Aé'.repeat(MIB / 4)],
    ['to_lowercase', 'ΟΔΟΣ '.repeat(MIB / 4)],
    ['to_uppercase', 'ßé'.repeat(MIB / 4)],
    ['to_ascii', 'é'.repeat(MIB / 8)],
    ['to_ascii', 'a' + '\u0345\u0327'.repeat(MIB / 16)],
    [`prefix(${3 * MIB})`, 'é🦊'.repeat(2 * MIB)],
    [`suffix(${3 * MIB})`, 'é🦊'.repeat(2 * MIB)],
    [`replace('${LONG_NEEDLE}','')`, 'a'.repeat(MIB)],
    [`replace('a','${'b'.repeat(16)}')`, 'a'.repeat(MIB / 4)],
    [`hmac_sha256('0b')`, new Uint8Array(2 * MIB)],
    [`hmac_sha256('0b')`, 'é'.repeat(MIB)],
    [encryptChain(ECIES, p256), new Uint8Array(2 * MIB)],
  ])(
    'applyTransforms: a long value (row %#) lets others go on between short slices',
    async (chain, value) => {
      const work = watched({ made: 8 * MIB });
      await run(chain, value, work.budget);
      expect(work.turns).toBeGreaterThanOrEqual(2);
      expect(work.longest).toBeLessThanOrEqual(STEPS_PER_TURN);
    },
  );

  test('applyTransforms: many encryptions of short values are no single piece of work', async () => {
    const work = watched();
    const chain = parseChain(encryptChain(ECIES, p256), work.budget);
    for (let index = 0; index < 30; index++) await applyTransforms(chain, 'Jane', work.budget);
    expect(work.turns).toBeGreaterThan(2);
    expect(work.longest).toBeLessThanOrEqual(STEPS_PER_TURN);
  });

  test('applyTransforms: others have their turns, in the real event loop', async () => {
    const state = { isDone: false };
    const done = run('to_ascii', 'é'.repeat(MIB / 4), new TransformBudget()).then(
      () => (state.isDone = true),
    );
    let others = 0;
    while (!state.isDone && others < 5) {
      await new Promise(setImmediate);
      others++;
    }
    expect(others).toBe(5);
    await done;
  });

  test('to_ascii: a long row of marks, which NFKD sorts in quadratic time, is dropped character by character', async () => {
    expect(await run('to_ascii', 'x' + '\u0345\u0327'.repeat(MIB / 4) + 'y', new TransformBudget())).toBe(
      'xy',
    );
  });

  test('replace: a long text that nearly matches everywhere, which indexOf compares each time, is looked at once', async () => {
    const text = 'a'.repeat(MIB);
    expect(await run(`replace('${LONG_NEEDLE}','x')`, text, new TransformBudget())).toBe(text);
  });

  test.each([
    ['to_lowercase', (text: string) => text.toLowerCase()],
    ['to_uppercase', (text: string) => text.toUpperCase()],
    [`replace('ΟΣ','<$&>')`, (text: string) => text.replaceAll('ΟΣ', () => '<$&>')],
    [`replace('aa','b')`, (text: string) => text.replaceAll('aa', () => 'b')],
    [`replace('aab','')`, (text: string) => text.replaceAll('aab', () => '')],
  ])('applyTransforms: %s in slices gives what it gives in one piece', (chain, expected) => {
    for (const part of ['ΟΔΟΣ, ΣΑΣ. ', 'ὈΔΥΣΣΕΎΣ\u0301 ', 'straße🦊 ', 'aaab', 'İI']) {
      const text = part.repeat(4_000);
      expect(applyTransformsAtOnce(parseChain(chain), text)).toBe(expected(text));
    }
  });

  test('to_ascii: in slices gives NFKD without marks', () => {
    const text = 'Ångström ﬁ ｆｕｌｌ e\u0301\u0302 x '.repeat(1_000);
    const expected = text.normalize('NFKD').replace(/[^\0-\x7f]/g, '');
    expect(applyTransformsAtOnce(parseChain('to_ascii'), text)).toBe(expected);
  });

  test('to_lowercase: a text with a capital sigma that is cut nowhere fails instead of taking one long slice', async () => {
    const failing = run('to_lowercase', 'Σ'.repeat(MIB), new TransformBudget());
    await expect(failing).rejects.toMatchObject({ code: 'transform_failed', transform: 'to_lowercase' });
  });

  test('encrypt: a box is made in one go, and so of 4 MiB at most', async () => {
    const chain = encryptChain(SEALED_BOX, nacl.box.keyPair().publicKey);
    await run(chain, new Uint8Array(4 * MIB), new TransformBudget());
    const failing = run(chain, new Uint8Array(4 * MIB + 1), new TransformBudget());
    await expect(failing).rejects.toMatchObject({ code: 'transform_failed', transform: 'encrypt' });
  });
});

describe('the budget of a request', () => {
  test('applyTransforms: what one value leaves is all that the next one has', async () => {
    const budget = new TransformBudget({ steps: 3 * MIB });
    const chain = parseChain('to_lowercase', budget);
    await applyTransforms(chain, 'a'.repeat(2 * MIB), budget);
    await expect(applyTransforms(chain, 'a'.repeat(2 * MIB), budget)).rejects.toThrow(BudgetSpent);
  });

  test('applyTransforms: the results between the first and the last transform count', async () => {
    const shrinking = Array.from({ length: 7 }, () => `replace('a','aa') | replace('aa','a')`).join(' | ');
    const budget = new TransformBudget({ made: 2 * MIB });
    await expect(run(shrinking, 'a'.repeat(MIB / 4), budget)).rejects.toThrow(BudgetSpent);
  });

  test('applyTransforms: a chain that multiplies ends at the limit of one result, not of the memory', async () => {
    const grow = `replace('a','${'a'.repeat(8_192)}')`;
    const failing = run(`${grow} | ${grow} | ${grow}`, 'a', new TransformBudget());
    await expect(failing).rejects.toMatchObject({ code: 'transform_failed' });
  });

  const KIB = 1_024;
  test.each([
    ['a replacement', `replace('a','${'b'.repeat(900)}')`],
    ['16 doublings', Array.from({ length: 16 }, () => `replace('a','aa')`).join(' | ')],
    ['16 encryptions', Array.from({ length: 16 }, () => encryptChain(ECIES, p256)).join(' | ')],
  ])('applyTransforms: %s of a long value ends at 1 MiB, before it is made', async (_what, chain) => {
    const work = watched();
    await expect(run(chain, 'a'.repeat(30 * KIB), work.budget)).rejects.toThrow(BudgetSpent);
    expect(work.total).toBeLessThan(64 * MIB);
  });

  test.each([
    [`replace('a','${'b'.repeat(33)}')`, 32 * KIB],
    ['wrap_quotes', MIB],
    ['to_uppercase', 'ﬃ'.repeat(MIB / 3 + 1)],
    ['to_lowercase', 'İ'.repeat(MIB / 2 + 1)],
    ['to_ascii', '㎯'.repeat(MIB / 4)],
    [encryptChain(ECIES, p256), MIB / 2],
  ])('applyTransforms: a result that is longer than its input counts (row %#)', async (chain, input) => {
    const value = typeof input === 'string' ? input : 'a'.repeat(input);
    await expect(run(chain, value, new TransformBudget())).rejects.toThrow(BudgetSpent);
    expect(typeof (await run(chain, value.slice(0, value.length / 4), new TransformBudget()))).toBe('string');
  });

  test('applyTransforms: results that are no longer than their inputs take nothing', async () => {
    const chain = `to_lowercase | to_ascii | replace('b','c') | replace('c','') | prefix(1000000) | suffix(999999)`;
    const budget = new TransformBudget({ made: 0 });
    for (let count = 0; count < 3; count++) await run(chain, 'Ab'.repeat(MIB), budget);
  });

  test('applyTransforms: the hexadecimal digits of a file take nothing; what is made of them does', async () => {
    const budget = new TransformBudget({ made: 1 });
    const encrypt = encryptChain(ECIES, p256);
    await run(encrypt, new Uint8Array(2 * MIB), budget);
    await run(`hmac_sha256('0b')`, new Uint8Array(2 * MIB), budget);
    await expect(run(`${encrypt} | ${encrypt}`, new Uint8Array(KIB), budget)).rejects.toThrow(BudgetSpent);
  });

  test('answer: what comes out of all chains together is limited', () => {
    const budget = new TransformBudget({ answered: 10 });
    budget.answer(10);
    expect(() => budget.answer(1)).toThrow(BudgetSpent);
  });

  test('parseTransforms: a public key is judged once in a request, and one request takes 16 of them', () => {
    const budget = new TransformBudget();
    const chainOf = () => encryptChain(SEALED_BOX, nacl.box.keyPair().publicKey);
    const chains = Array.from({ length: 16 }, chainOf);
    for (let repeat = 0; repeat < 20; repeat++) parseTransforms(chains, budget);
    expect(() => parseTransforms([chainOf()], budget)).toThrow(
      expect.objectContaining({ code: 'transform_invalid' }) as Error,
    );
  });

  test('parseChain: an RSA key whose exponent makes each encryption slow is refused', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' }) as { n: string };
    const integer = (bytes: Buffer) => {
      const padded = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
      return Buffer.concat([Buffer.from([2, 0x82, padded.length >> 8, padded.length & 255]), padded]);
    };
    const short = (bytes: Buffer) => Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
    const sequence = (body: Buffer) =>
      Buffer.concat([Buffer.from([0x30, 0x82, body.length >> 8, body.length & 255]), body]);
    const modulus = integer(Buffer.from(jwk.n, 'base64url'));
    const withExponent = (exponent: Buffer) => sequence(Buffer.concat([modulus, short(exponent)]));
    expect(parseChain(encryptChain(RSA, withExponent(Buffer.from('010001', 'hex'))))).toHaveLength(1);
    const huge = withExponent(Buffer.from('7f' + 'ff'.repeat(100), 'hex'));
    expect(() => parseChain(encryptChain(RSA, huge))).toThrow('not a usable key');
  });
});
