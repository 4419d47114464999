/** A decision by hand (contract §4.4, §10). */
import { DECISION_LIMITS } from '../../contract/facts/onboardings.ts';
import type { ActionDefinition } from './definition.ts';
import { asEntity, entitySubject, isLongerThan, NEEDS_ENTITY } from './subjects.ts';

export const decide: ActionDefinition = {
  name: 'decide',
  label: 'Decide by hand',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
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
      hint: 'Why; it is kept with the decision',
    },
    {
      name: 'reviewer_email',
      label: "Reviewer's e-mail",
      kind: 'text',
      isRequired: false,
      hint: 'Empty for none',
    },
  ],
  check(field, value) {
    if (field === 'annotation' && isLongerThan(value, DECISION_LIMITS.annotation)) {
      return `An annotation has at most ${DECISION_LIMITS.annotation} characters`;
    }
    if (field === 'reviewer_email' && !isEmail(value)) {
      return 'That is no e-mail address';
    }
    return undefined;
  },
  confirm(subject, { status = '', annotation = '', reviewer_email = '' }) {
    const { fp_id } = asEntity(subject);
    const by = reviewer_email === '' ? 'no reviewer is named' : `the reviewer is ${reviewer_email}`;
    return [
      `${fp_id} gets the status ${status} by hand; its onboardings keep theirs.`,
      `With the annotation “${annotation}”; ${by}.`,
      'If a review is open, it is over then. Webhooks that take user.manual_review may be called.',
    ];
  },
  async perform({ client }, subject, { status = '', annotation = '', reviewer_email = '' }) {
    const { kind, fp_id } = asEntity(subject);
    const body = {
      status: status === 'pass' ? ('pass' as const) : ('fail' as const),
      annotation,
      ...(reviewer_email !== '' && { reviewer_email }),
    };
    await (kind === 'business'
      ? client.call('POST /businesses/{fp_bid}/decisions', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/decisions', { params: { fp_id }, body }));
    return { kind: 'done', notice: { tone: 'good', text: `Decided: ${body.status}` }, changes: true };
  },
};

function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text) && !isLongerThan(text, DECISION_LIMITS.actor);
}
