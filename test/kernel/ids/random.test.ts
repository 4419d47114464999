import { describe, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids/ids.ts';
import { createRandomness, secretBytes } from '../../../src/kernel/ids/random.ts';

const draw = (random: ReturnType<typeof createRandomness>, purpose = 'user') =>
  Array.from({ length: 5 }, () => random.id(22, purpose));

describe('createRandomness', () => {
  test('random: the same seed gives the same ids, another seed others', () => {
    expect(draw(createRandomness('one'))).toEqual(draw(createRandomness('one')));
    expect(draw(createRandomness('one'))).not.toEqual(draw(createRandomness('two')));
  });

  test('random: what is drawn for one purpose shifts nothing of another', () => {
    const busy = createRandomness('one');
    draw(busy, 'request');

    expect(draw(busy)).toEqual(draw(createRandomness('one')));
    expect(draw(createRandomness('one'), 'request')).not.toEqual(draw(createRandomness('one')));
  });

  test('random: without a seed nothing repeats', () => {
    const ids = [...draw(createRandomness()), ...draw(createRandomness())];

    expect(new Set(ids).size).toBe(10);
  });

  test('random: restart repeats the seed of the start, or begins another', () => {
    const random = createRandomness('one');
    const first = draw(random);

    random.restart();
    expect(draw(random)).toEqual(first);
    random.restart('two');
    expect(draw(random)).toEqual(draw(createRandomness('two')));
    random.restart();
    expect(draw(random)).toEqual(first);
  });

  test('random: says whether ids come again', () => {
    const random = createRandomness();
    expect([random.isSeeded, createRandomness('').isSeeded]).toEqual([false, true]);

    random.restart('one');

    expect(random.isSeeded).toBe(true);
  });

  test('random: secrets never come from a seed', () => {
    expect(createRandomness('one').secretText(32)).not.toBe(createRandomness('one').secretText(32));
  });

  test('random: texts have the length that is asked for, of letters and digits, all alike often', () => {
    const counts = new Map<string, number>();
    for (const text of [createRandomness('one').id(62_000, 'user'), createRandomness().secretText(62_000)]) {
      expect(text).toMatch(/^[0-9A-Za-z]{62000}$/);
      for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    }

    expect(counts.size).toBe(62);
    // The limit is ten standard deviations around 2,000. A modulo bias would give some characters a quarter more.
    for (const count of counts.values()) expect(Math.abs(count - 2000)).toBeLessThan(450);
  });
});

test('secretBytes: gives the bytes that are asked for, also more than it keeps at hand', () => {
  for (const length of [0, 1, 32, 8191, 8192, 8193, 100_000])
    expect(secretBytes(length)).toHaveLength(length);
  const drawn = Array.from({ length: 1000 }, () => Buffer.from(secretBytes(16)).toString('hex'));
  expect(new Set(drawn).size).toBe(1000);
});

test.each([
  ['user', 'fp_id_'],
  ['business', 'fp_bid_'],
  ['apiKey', 'key_'],
  ['request', 'req_'],
] as const)('newId: a %s begins with %s and has 22 characters more', (kind, prefix) => {
  expect(newId(kind, createRandomness())).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{22}$`));
});

test('newId: passes over ids that are taken when they come again from a seed', () => {
  const random = createRandomness('one');
  const taken = new Set([newId('user', random), newId('user', random)]);
  const third = newId('user', random);

  random.restart();

  expect(newId('user', random, (id) => taken.has(id))).toBe(third);
});
