/** The arguments that `npm run bench` accepts (test/bench/options.ts). */
import { expect, test } from 'vitest';
import { benchOptions, PARTS } from './options.ts';

test('benchOptions: every part, or the one that is named', () => {
  expect(benchOptions([])).toEqual({ isQuick: false, parts: PARTS });
  expect(benchOptions(['--quick', '--only', 'reads'])).toEqual({ isQuick: true, parts: ['reads'] });
  expect(benchOptions(['--only=drivers'])).toEqual({ isQuick: false, parts: ['drivers'] });
  expect(PARTS).not.toContain('drivers');
});

test.each([
  [['--onyl', 'x'], "Unknown option '--onyl'"],
  [['--only'], "Option '--only <value>' argument missing"],
  [['--only', '--quick'], "Option '--only' argument is ambiguous"],
  [['--quick=no'], "Option '--quick' does not take an argument"],
  [['reads'], "Unexpected argument 'reads'"],
  [['--only', 'raeds'], "Unknown part 'raeds'"],
  [['--only', 'toString'], "Unknown part 'toString'"],
])('benchOptions: %j is refused in one sentence with what may be given', (given, what) => {
  expect(benchOptions(given)).toBe(
    `${what}: npm run bench takes --quick and --only PART, PART being one of ${[...PARTS, 'drivers'].join(', ')}`,
  );
});
