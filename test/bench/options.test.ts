/** The arguments that `npm run bench` accepts (test/bench/options.ts). */
import { expect, test } from 'vitest';
import { ASKED_FOR, benchOptions, PARTS } from './options.ts';

test('benchOptions: every part, or the one that is named', () => {
  const sizes = [1, 5, 20, 40];
  expect(benchOptions([])).toEqual({ isQuick: false, parts: PARTS, sizes });
  expect(benchOptions(['--quick', '--only', 'reads'])).toEqual({ isQuick: true, parts: ['reads'], sizes });
  expect(benchOptions(['--only=drivers'])).toEqual({ isQuick: false, parts: ['drivers'], sizes });
  expect(PARTS).not.toContain('drivers');
  expect(PARTS).not.toContain('many');
});

test('benchOptions: the sizes of many', () => {
  expect(benchOptions(['--only', 'many', '--sizes', '1,3'])).toEqual({
    isQuick: false,
    parts: ['many'],
    sizes: [1, 3],
  });
});

test.each([
  [['--onyl', 'x'], "Unknown option '--onyl'"],
  [['--only'], "Option '--only <value>' argument missing"],
  [['--only', '--quick'], "Option '--only' argument is ambiguous"],
  [['--quick=no'], "Option '--quick' does not take an argument"],
  [['reads'], "Unexpected argument 'reads'"],
  [['--only', 'raeds'], "Unknown part 'raeds'"],
  [['--only', 'toString'], "Unknown part 'toString'"],
  [['--sizes', '0'], "Wrong sizes '0'"],
  [['--sizes', '1,,5'], "Wrong sizes '1,,5'"],
  [['--sizes='], "Wrong sizes ''"],
  [['--sizes', '1000'], "Wrong sizes '1000'"],
])('benchOptions: %j is refused in one sentence with what may be given', (given, what) => {
  expect(benchOptions(given)).toBe(
    `${what}: npm run bench takes --quick, --sizes 1,5 (for many, up to 100) and --only PART, PART being one of ${[...PARTS, ...ASKED_FOR].join(', ')}`,
  );
});
