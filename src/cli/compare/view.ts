/** A comparison and a recording as text: the differences, what could not be compared, and how much was equal. */
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import type { Comparison } from './comparison.ts';
import type { RecordingSummary } from './session.ts';

export function comparisonView({ counts, exchanges, data, unused }: Comparison, style: Style): string {
  const skipped = exchanges.filter(({ outcome }) => outcome === 'not_comparable');
  const parts = [
    data.length > 0 &&
      table(
        ['DIFFERENCE', 'KNOWN', 'EMULATOR', 'REMOTE'],
        data.map(({ id, known, emulator, remote }) => [
          id,
          known ? 'yes' : 'no',
          emulator ?? 'not there',
          remote ?? 'not there',
        ]),
        style,
        '',
      ),
    skipped.length > 0 &&
      table(
        ['NOT COMPARABLE', 'CALL', 'WHY'],
        skipped.map(({ scenario, step, call, reason }) => [`${scenario}/${step}`, call, reason]),
        style,
        '',
      ),
    unused.length > 0 &&
      table(
        ['NO LONGER FOUND'],
        unused.map((line) => [line]),
        style,
        '',
      ),
    `${counts.same} same, ${counts.different} different, ${counts.not_comparable} not comparable; ` +
      `${counts.new_differences} new differences`,
  ];
  return parts.filter((part) => part !== false).join('\n\n');
}

export function recordingView({ scenarios }: RecordingSummary, style: Style): string {
  return table(
    ['SCENARIO', 'ANSWERS', 'NOT ANSWERED'],
    scenarios.map(({ name, answered, skipped }) => [name, answered, skipped]),
    style,
    'No scenario',
  );
}
