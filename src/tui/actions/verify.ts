/** Compares what a caller says with a stored field. Shows nothing of the stored value (contract §10). */
import { STATED_VALUE_LIMIT } from '../../contract/facts/vault.ts';
import type { ActionDefinition } from './definition.ts';
import type { FieldDefinition } from '../state/model.ts';
import { identifiersOf } from '../state/subject.ts';
import { asField, fieldSubject, isLongerThan, reasonProblem, type FieldSubject } from './subjects.ts';

const RESULT_TEXTS = {
  match: { tone: 'good', text: 'matches' },
  no_match: { tone: 'bad', text: 'does NOT match' },
  nothing_to_compare: { tone: 'warn', text: 'nothing is stored to compare it with' },
} as const;

export const verify: ActionDefinition = {
  name: 'verify',
  label: 'Verify what a caller says',
  subject(row) {
    const field = fieldSubject(row);
    return field?.type === 'file' ? undefined : field;
  },
  needs: 'Select a field that is not a file first',
  leavesTrace: true,
  fields: (subject) => [
    ...partsAsked(asField(subject)),
    {
      name: 'value',
      label: 'What the caller says',
      kind: 'text',
      isRequired: true,
      isShownOnce: true,
      hint: 'Compared with the stored value, whatever the case of letters or the form of a date; 3/4/1990 is the 4th of March. Only match or no match is shown',
    },
    {
      name: 'reason',
      label: 'Reason',
      kind: 'text',
      isRequired: true,
      hint: 'The access log keeps the reason, and not what the caller says',
    },
  ],
  check(field, value) {
    if (field === 'reason') return reasonProblem(value);
    return isLongerThan(value, STATED_VALUE_LIMIT) ? `At most ${STATED_VALUE_LIMIT} characters` : undefined;
  },
  // The form has said everything.
  confirm: () => [],
  async perform({ client }, subject, { identifier = asField(subject).identifier, value = '', reason = '' }) {
    const { fp_id, owner } = asField(subject);
    const body = { identifier, value, reason };
    const { result } = await (owner === 'business'
      ? client.call('POST /businesses/{fp_bid}/verify', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/verify', { params: { fp_id }, body }));
    return { kind: 'verified', fp_id, field: { identifier, ...RESULT_TEXTS[result] } };
  },
};

/** The fields to choose from, if the line stands for several. A line with one field asks nothing. */
function partsAsked(field: FieldSubject): readonly FieldDefinition[] {
  const identifiers = identifiersOf(field);
  if (identifiers.length === 1) return [];
  const choices = identifiers.map((value) => ({ value, label: value }));
  return [{ name: 'identifier', label: 'Field', kind: 'choice', choices, isRequired: true }];
}
