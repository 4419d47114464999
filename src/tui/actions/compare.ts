/** Two entities beside each other, from a list of duplicates. */
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
  // It shows no value; the access log of both has it.
  confirm: () => [],
  perform(_source, subject) {
    const { fp_id, other } = asPair(subject);
    return Promise.resolve({ kind: 'open', place: comparisonPlace(fp_id, other) });
  },
};
