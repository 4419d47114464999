/** Runs an entity through a playbook, with an outcome of choice (contract §4.2 to §4.4). */
import type { Outcome as OnboardingOutcome } from '../../contract/facts/onboardings.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { allPages } from '../../client/pages.ts';
import type { Source } from '../data/source.ts';
import type { Choice, EntityKind, Notice } from '../state/model.ts';
import { type ActionDefinition, idOf, labelledId, wordsOf } from './definition.ts';
import { given, reasonField, recordLine } from './reasons.ts';
import { asEntity, entitySubject, NEEDS_ENTITY, reasonProblem, type EntitySubject } from './subjects.ts';

type RunResult = AnswerOf<'POST /users/{fp_id}/kyc'>;

/** Each outcome in words. */
const OUTCOMES: Readonly<Record<OnboardingOutcome, string>> = {
  pass: 'pass',
  fail: 'fail',
  manual_review: 'fail, and a person has to review it',
  step_up: 'incomplete until an identity document arrives, then a review',
  none: 'nothing is decided',
  error: 'the run fails, and the status stays incomplete',
  pending: 'open until it is resolved',
};
/** No outcome is requested. */
const AS_DECIDED = 'as_decided';

const PLAYBOOK_KINDS: Readonly<Record<EntityKind, readonly string[]>> = {
  user: ['kyc', 'document'],
  business: ['kyb'],
};

export const onboard: ActionDefinition = {
  name: 'onboard',
  label: 'Run an onboarding',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  fields: () => [
    { name: 'playbook', label: 'Playbook', kind: 'loaded', isRequired: true },
    { name: 'outcome', label: 'Outcome', kind: 'loaded', isRequired: true },
    {
      name: 'again',
      label: 'If an onboarding exists',
      kind: 'loaded',
      isRequired: true,
      hint: 'On the same playbook, open or ended',
    },
    reasonField('reason', 'Reason', { isRequired: false }),
  ],
  async choices(source, subject, field) {
    const entity = asEntity(subject);
    switch (field) {
      case 'playbook':
        return await playbookChoices(source, entity);
      case 'outcome':
        return outcomeChoices(source, entity);
      default:
        return await againChoices(source, entity);
    }
  },
  check: (field, value) => (field === 'reason' ? reasonProblem(value) : undefined),
  confirm(subject, { playbook = '', outcome = '', again = '', reason = '', operator = '' }) {
    const { kind, fp_id } = asEntity(subject);
    return [
      `${fp_id} is run through playbook ${wordsOf(playbook)} (${idOf(playbook)}).`,
      outcome === AS_DECIDED
        ? 'Outcome rules and the playbook decide the outcome.'
        : `Its outcome is ${wordsOf(outcome)}.`,
      'Its result, if it has one, becomes the status, also in place of a decision by hand.',
      'This can create decisions, risk signals and events, and send events to webhook endpoints.',
      ...(again === 'no'
        ? [`The run is refused if the ${kind} already has an onboarding on this playbook.`]
        : []),
      recordLine(operator, reason),
    ];
  },
  async perform({ client }, subject, { playbook = '', outcome = '', again = '', reason }) {
    const { kind, fp_id } = asEntity(subject);
    const body = {
      ...given({ reason }),
      key: idOf(playbook),
      allow_reonboard: again !== 'no',
      ...(outcome !== AS_DECIDED && { fixture_result: idOf(outcome) as OnboardingOutcome }),
    };
    const result =
      kind === 'business'
        ? await client.call('POST /businesses/{fp_bid}/kyb', { params: { fp_bid: fp_id }, body })
        : await client.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body });
    return { kind: 'done', notice: noticeOf(result), changes: true };
  },
};

async function playbookChoices(
  { client, space }: Source,
  { kind }: EntitySubject,
): Promise<readonly Choice[]> {
  const all = await allPages((page) =>
    client.call('GET /_kyclone/playbooks', { query: { ...space, ...page } }),
  );
  return all
    .filter((playbook) => PLAYBOOK_KINDS[kind].includes(playbook.kind))
    .map(({ key, name, kind: of, version }) => ({
      value: labelledId(key, name),
      label: `${name} (${of}, version ${version}, ${key})`,
    }));
}

function outcomeChoices({ space }: Source, { kind }: EntitySubject): readonly Choice[] {
  if (space.environment === 'live') {
    return [{ value: AS_DECIDED, label: 'as the playbook decides: only the sandbox lets you choose' }];
  }
  const chosen = Object.entries(OUTCOMES).map(([outcome, words]) => {
    // A business has no document to provide.
    const isReview = outcome === 'step_up' && kind === 'business';
    return labelledId(outcome, isReview ? OUTCOMES.manual_review : words);
  });
  return [
    ...chosen.map((value) => ({
      value,
      label: idOf(value) === wordsOf(value) ? idOf(value) : `${idOf(value)}: ${wordsOf(value)}`,
    })),
    { value: AS_DECIDED, label: 'as outcome rules and the playbook decide' },
  ];
}

async function againChoices({ client, space }: Source, { fp_id }: EntitySubject): Promise<readonly Choice[]> {
  const { onboardings } = await client.call('GET /_kyclone/entities/{fp_id}', {
    params: { fp_id },
    query: space,
  });
  const [newest] = onboardings;
  if (newest === undefined) return [{ value: 'yes', label: 'None exists yet' }];
  return [
    { value: 'yes', label: `Run it again; the newest of ${onboardings.length} is ${newest.status}` },
    { value: 'no', label: 'Refuse' },
  ];
}

const TONES: Partial<Record<RunResult['status'], Notice['tone']>> = { pass: 'good', none: 'good' };

function noticeOf({ onboarding_id, status, requires_manual_review }: RunResult): Notice {
  const review = requires_manual_review ? ', to be reviewed' : '';
  return { tone: TONES[status] ?? 'warn', text: `Onboarding ${onboarding_id}: ${status}${review}` };
}
