/** A comparison and a recording as text: the differences, what could not be compared, and how much was equal. */
import { listView, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import type { Comparison } from './comparison.ts';
import type { RecordingSummary } from './session.ts';

export function comparisonView({ counts, exchanges, data, unused }: Comparison, style: Style): string {
  const skipped = exchanges.filter(({ outcome }) => outcome === 'not_comparable');
  return [
    differenceList(data, style),
    skippedList(skipped, style),
    unusedList(unused, style),
    `${counts.same} same, ${counts.different} different, ${counts.not_comparable} not comparable; ` +
      `${counts.new_differences} new differences`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const differenceList = listView<Comparison['data']>('', [
  ['DIFFERENCE', 'id'],
  ['KNOWN', 'known'],
  ['EMULATOR', ({ emulator }) => emulator ?? 'not there'],
  ['REMOTE', ({ remote }) => remote ?? 'not there'],
]);
const skippedList = listView<Comparison['exchanges']>('', [
  ['NOT COMPARABLE', ({ scenario, step }) => `${scenario}/${step}`],
  ['CALL', 'call'],
  ['WHY', 'reason'],
]);
const unusedList = listView<Comparison['unused']>('', [['NO LONGER FOUND', (line) => line]]);

export function recordingView({ scenarios }: RecordingSummary, style: Style): string {
  return table(
    ['SCENARIO', 'ANSWERS', 'NOT ANSWERED'],
    scenarios.map(({ name, answered, skipped }) => [name, answered, skipped]),
    style,
    'No scenario',
  );
}
