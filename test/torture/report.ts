/** What torture prints: one line for each promise. */
import type { Outcome } from './try-promise.ts';

const ID_COLUMNS = 5;
const SAYS_COLUMNS = 96;
const COUNT_COLUMNS = 34;

export function promiseLine({ id, says, counts, verdict }: Outcome): string {
  const counted = Object.entries(counts).map(([unit, count]) => amount(count, unit));
  const columns = [
    id.padEnd(ID_COLUMNS),
    says.padEnd(SAYS_COLUMNS),
    counted.join(', ').padEnd(COUNT_COLUMNS),
    verdict === 'failed' ? 'FAILED' : verdict,
  ];
  return columns.join(' ');
}

/** Returns why a promise failed or was skipped, and how to repeat only this one. */
export function reasonLines({ name, reason, rounds, verdict }: Outcome, seed: string): string {
  if (reason === undefined) return '';
  const indented = reason.replace(/^/gm, '      ');
  if (verdict === 'skipped') return `${indented}\n`;
  return `${indented}\n      repeat: npm run torture -- --only ${name} --seed ${seed} --rounds ${Math.max(rounds, 1)}\n`;
}

export function summary(outcomes: readonly Outcome[], seed: string): string {
  const of = (verdict: Outcome['verdict']) => outcomes.filter((each) => each.verdict === verdict).length;
  const skipped = of('skipped') > 0 ? `, ${of('skipped')} skipped` : '';
  return `${of('ok')} promises held, ${of('failed')} broken${skipped} (seed ${seed})`;
}

function amount(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? unit.replace(/s$/, '') : unit}`;
}
