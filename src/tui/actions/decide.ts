/** A manual decision (contract §4.4, §10). */
import { DECISION_LIMITS } from '../../contract/facts/onboardings.ts';
import type { ActionDefinition } from './definition.ts';
import { asEntity, entitySubject, isLongerThan, NEEDS_ENTITY } from './subjects.ts';

export const decide: ActionDefinition = {
  name: 'decide',
  label: 'Decide by hand',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'status',
      label: 'Status',
      kind: 'choice',
      choices: [
        { value: 'pass', label: 'pass' },
        { value: 'fail', label: 'fail' },
      ],
      isRequired: true,
    },
    {
      name: 'annotation',
      label: 'Annotation',
      kind: 'text',
      isRequired: true,
      hint: 'The reason. It is stored with the decision',
    },
  ],
  check(field, value) {
    if (field === 'annotation' && isLongerThan(value, DECISION_LIMITS.annotation)) {
      return `An annotation has at most ${DECISION_LIMITS.annotation} characters`;
    }
    return undefined;
  },
  confirm(subject, { status = '', annotation = '', operator = '' }) {
    const { fp_id } = asEntity(subject);
    return [
      `${fp_id} gets the status ${status} by hand. Its onboardings keep their status.`,
      `The annotation is “${annotation}”; the reviewer is ${operator}.`,
      'This closes an open review, and may send the event user.manual_review to webhook endpoints.',
    ];
  },
  async perform({ client }, subject, { status = '', annotation = '' }) {
    const { kind, fp_id } = asEntity(subject);
    const body = {
      status: status === 'pass' ? ('pass' as const) : ('fail' as const),
      annotation,
    };
    await (kind === 'business'
      ? client.call('POST /businesses/{fp_bid}/decisions', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/decisions', { params: { fp_id }, body }));
    return { kind: 'done', notice: { tone: 'good', text: `Decided: ${body.status}` }, changes: true };
  },
};
