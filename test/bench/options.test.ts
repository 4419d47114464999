/** The arguments that `npm run bench` accepts (test/bench/options.ts). */
import { expect, test } from 'vitest';
import { OptionError } from '../../src/devtools/script-options.ts';
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

const OPTIONS = 'npm run bench takes --quick, --only VALUE, --sizes VALUE';
const NUMBERS = 'give numbers from 1 to 100 with commas: 1,5';
const NAMES = `no part has this name; parts: ${[...PARTS, ...ASKED_FOR].join(', ')}`;

test.each([
  [['--onyl', 'x'], `Unknown option '--onyl': ${OPTIONS}`],
  [['--only'], `Option '--only <value>' argument missing: ${OPTIONS}`],
  [['--only', '--quick'], `Option '--only' argument is ambiguous: ${OPTIONS}`],
  [['--quick=no'], `Option '--quick' does not take an argument: ${OPTIONS}`],
  [['reads'], `Unexpected argument 'reads': ${OPTIONS}`],
  [['--only', 'raeds'], `--only raeds: ${NAMES}`],
  [['--only', 'toString'], `--only toString: ${NAMES}`],
  [['--only', 'many', '--sizes', '0'], `--sizes 0: ${NUMBERS}`],
  [['--only', 'many', '--sizes', '1,,5'], `--sizes 1,,5: ${NUMBERS}`],
  [['--only', 'many', '--sizes='], `--sizes : ${NUMBERS}`],
  [['--only', 'many', '--sizes', '1000'], `--sizes 1000: ${NUMBERS}`],
  [['--sizes', '1,5'], '--sizes is for --only many'],
  [['--only', 'reads', '--sizes', '1,5'], '--sizes is for --only many'],
])('benchOptions: %j is refused in one sentence with what this option takes', (given, sentence) => {
  expect(() => benchOptions(given)).toThrow(new OptionError(sentence));
});
