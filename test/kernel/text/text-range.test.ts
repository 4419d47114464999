import { expect, test } from 'vitest';
import { prefixEnd } from '../../../src/kernel/text/text.ts';

const inOrder = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

test.each([
  'a',
  'customer-',
  'fp_id_zz',
  'é',
  '\u{d7ff}',
  'a\u{10ffff}',
  '\u{1f600}',
  '\u007f',
  '\u07ff',
  '\uffff',
])('prefixEnd: %j ends after all that begin with it, and before anything else', (prefix) => {
  const end = prefixEnd(prefix);
  for (const rest of ['', '\0', 'z', '\u{10fffe}', '\u{10ffff}'])
    expect(inOrder(prefix + rest, end)).toBe(-1);
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point !== 0x10ffff);
  const next = points.slice(0, last + 1).map((point, at) => (at < last ? point : after(point)));
  expect(end).toBe(String.fromCodePoint(...next));
});

const after = (point: number) => (point === 0xd7ff ? 0xe000 : point + 1);

test('prefixEnd: nothing comes after the last code point', () => {
  expect(inOrder('\u{10ffff}z', prefixEnd('\u{10ffff}'))).toBe(-1);
});
