/** A series of numbers as a line of small bars. */

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const MIDDLE = '▄';

/**
 * At most `width` cells. The lowest number is at the bottom and the highest at the top, wherever zero is. If all
 * numbers are equal, they are in the middle. If there are more numbers than cells, a cell shows the last of its
 * share.
 */
export function sparkline(numbers: readonly bigint[], width: number): string {
  const cells = Math.min(Math.max(0, Math.floor(width)), numbers.length);
  if (cells === 0) return '';
  const shown = Array.from(
    { length: cells },
    (_, cell) => numbers[Math.floor(((cell + 1) * numbers.length) / cells) - 1] ?? 0n,
  );
  const lowest = shown.reduce((one, other) => (other < one ? other : one));
  const highest = shown.reduce((one, other) => (other > one ? other : one));
  const range = highest - lowest;
  if (range === 0n) return MIDDLE.repeat(cells);
  const top = BigInt(BARS.length - 1);
  // Rounds to the nearest bar, so that only the lowest and the highest are exact.
  return shown
    .map((each) => BARS[Number((2n * (each - lowest) * top + range) / (2n * range))] ?? '')
    .join('');
}
