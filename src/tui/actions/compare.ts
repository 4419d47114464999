/** Compares two entities side by side, from a list of duplicates. */
import { comparisonPlace } from '../screens/comparison.ts';
import type { ActionDefinition } from './definition.ts';
import { asPair } from './subjects.ts';

export const compare: ActionDefinition = {
  name: 'compare',
  label: 'Compare two users',
  subject: (row) => (row?.subject?.kind === 'pair' ? row.subject : undefined),
  needs: 'Select a duplicate first',
  leavesTrace: true,
  fields: () => [],
  // It shows no values. The access logs of both entities record it.
  confirm: () => [],
  perform(_source, subject) {
    const { fp_id, other } = asPair(subject);
    return Promise.resolve({ kind: 'open', place: comparisonPlace(fp_id, other) });
  },
};
