import fc from 'fast-check';
import { test } from 'vitest';
import { quoted } from '../../../src/kernel/text/json.ts';

test('quoted: is what JSON.stringify writes, for any text', () => {
  const aText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('"', '\\', '\u007f', '\ud800', '\u2028', '\n', '\0', 'ü', 'a', ' ', '~'),
    }),
  );
  fc.assert(fc.property(aText, (text) => quoted(text) === JSON.stringify(text)));
});
