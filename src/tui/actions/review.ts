/** Decides about a hit of a watchlist or of adverse media (contract §11). */
import { HIT_DECISIONS } from '../../contract/facts/cases.ts';
import type { Subject } from '../state/model.ts';
import type { ActionDefinition } from './definition.ts';
import { reasonField } from './reasons.ts';
import { reasonProblem } from './subjects.ts';

type HitSubject = Extract<Subject, { kind: 'hit' }>;

const WORDS = { false_positive: 'a false positive', confirmed: 'confirmed' } as const;

export const review: ActionDefinition = {
  name: 'review',
  label: 'Decide on the hit',
  subject: (row) => (row?.subject?.kind === 'hit' ? row.subject : undefined),
  needs: 'Select a signal with a hit first',
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'decision',
      label: 'The hit is',
      kind: 'choice',
      choices: HIT_DECISIONS.map((value) => ({ value, label: WORDS[value] })),
      isRequired: true,
    },
    reasonField('reason', 'Reason'),
  ],
  check: (field, value) => (field === 'reason' ? reasonProblem(value) : undefined),
  confirm(subject, { decision, reason = '', operator = '' }) {
    const { fp_id, owner, reason_code, found } = asHit(subject);
    return [
      `The hit ${reason_code} of ${fp_id} is ${WORDS[decisionOf(decision)]}, decided by ${operator}.`,
      `The hit: ${found}.`,
      `The reason is “${reason}”.`,
      `Status and review of the ${owner} do not change.`,
    ];
  },
  async perform({ client, space }, subject, { decision, reason = '' }) {
    const { fp_id, onboarding_id, reason_code } = asHit(subject);
    const chosen = decisionOf(decision);
    await client.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
      params: { fp_id, reason_code },
      query: space,
      body: { decision: chosen, reason, onboarding_id },
    });
    return {
      kind: 'done',
      notice: { tone: 'good', text: `${reason_code} is ${WORDS[chosen]}` },
      changes: true,
    };
  },
};

function decisionOf(value: string | undefined): (typeof HIT_DECISIONS)[number] {
  return HIT_DECISIONS.find((known) => known === value) ?? 'false_positive';
}

function asHit(subject: Subject): HitSubject {
  if (subject.kind === 'hit') return subject;
  throw new TypeError(`no hit: ${subject.kind}`);
}
