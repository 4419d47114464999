/** Manual decisions: about an entity (contract §4.4, §10), and about a hit of a watchlist or of adverse media (§11). */
import { DECISION_LIMITS } from '../../contract/facts/onboardings.ts';
import { HIT_DECISIONS } from '../../contract/facts/cases.ts';
import { defined } from '../../kernel/defined.ts';
import type { Source } from '../data/source.ts';
import { type ActionDefinition, idOf, labelledId, wordsOf } from './definition.ts';
import { reasonField } from './reasons.ts';
import {
  asEntity,
  entitySubject,
  isLongerThan,
  NEEDS_ENTITY,
  personalProblem,
  reasonProblem,
} from './subjects.ts';
import type { Subject } from '../state/model.ts';

/** The choice to begin with, by the status. */
const HITS_AFTER: Readonly<Record<string, string>> = { pass: 'false_positive', fail: 'confirmed' };

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
    reasonField('annotation', 'Annotation', {
      hint: 'The reason. It is stored with the decision',
    }),
    { name: 'hits', label: 'Hits that nobody decided on', kind: 'loaded', isRequired: false },
  ],
  initial: (field, { status }) => (field === 'hits' ? HITS_AFTER[status ?? ''] : undefined),
  async choices(source, _subject, _field, subjects) {
    const found = await Promise.all(subjects.map((each) => undecided(source, asEntity(each).fp_id)));
    const named = found.flatMap((text) => (text === '' ? [] : [text])).join('; ');
    if (named === '') return [];
    return Object.entries(HITS).map(([value, words]) => ({
      value: labelledId(value, named),
      label: `${words}: ${named}`,
    }));
  },
  check(field, value) {
    if (field === 'annotation' && isLongerThan(value, DECISION_LIMITS.annotation)) {
      return `An annotation has at most ${DECISION_LIMITS.annotation} characters`;
    }
    return field === 'annotation' ? personalProblem(value) : undefined;
  },
  confirm(subject, { status = '', annotation = '', hits = '', operator = '' }) {
    const { fp_id } = asEntity(subject);
    return [
      `${fp_id} gets the status ${status} by hand. Its onboardings keep their status.`,
      `The annotation is “${annotation}”; the reviewer is ${operator}.`,
      ...hitLines(hits),
      'If a review is open, it ends. Webhook endpoints may get the event user.manual_review.',
    ];
  },
  async perform({ client }, subject, { status = '', annotation = '', hits = '' }) {
    const { kind, fp_id } = asEntity(subject);
    const body = {
      status: status === 'pass' ? ('pass' as const) : ('fail' as const),
      annotation,
      ...defined({ hits: HIT_DECISIONS.find((each) => each === idOf(hits)) }),
    };
    await (kind === 'business'
      ? client.call('POST /businesses/{fp_bid}/decisions', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/decisions', { params: { fp_id }, body }));
    return { kind: 'done', notice: { tone: 'good', text: `Decided: ${body.status}` }, changes: true };
  },
};

const LEFT = 'left';
/** What becomes of hits, as a choice. */
const HITS: Readonly<Record<string, string>> = {
  confirmed: 'confirmed',
  false_positive: 'false positives',
  [LEFT]: 'left undecided',
};

/** The names of the hits of an entity that nobody decided on; empty without any. */
async function undecided({ client, space }: Source, fp_id: string): Promise<string> {
  const hits = await client
    .call('GET /_kyclone/entities/{fp_id}/hits', { params: { fp_id }, query: space })
    .catch(() => []);
  const open = hits.filter(({ review }) => review === null);
  if (open.length === 0) return '';
  const names = open.map(
    ({ reason_code, matched_name, score }) => `${reason_code} (${matched_name}, ${score} %)`,
  );
  return `${names.join(', ')} of ${fp_id}`;
}

function hitLines(hits: string): readonly string[] {
  const chosen = idOf(hits);
  if (chosen === '') return [];
  const named = `Nobody has decided on ${wordsOf(hits)}.`;
  return [named, chosen === LEFT ? 'They remain undecided.' : `They are decided on, too: ${HITS[chosen]}.`];
}

type HitSubject = Extract<Subject, { kind: 'hit' }>;

const HIT_WORDS = { false_positive: 'a false positive', confirmed: 'confirmed' } as const;

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
      choices: HIT_DECISIONS.map((value) => ({ value, label: HIT_WORDS[value] })),
      isRequired: true,
    },
    reasonField('reason', 'Reason'),
  ],
  check: (field, value) => (field === 'reason' ? reasonProblem(value) : undefined),
  confirm(subject, { decision, reason = '', operator = '' }) {
    const { fp_id, owner, reason_code, found } = asHit(subject);
    return [
      `The hit ${reason_code} of ${fp_id} is ${HIT_WORDS[hitDecisionOf(decision)]}, decided by ${operator}.`,
      `The hit: ${found}.`,
      `The reason is “${reason}”.`,
      `Status and review of the ${owner} do not change.`,
    ];
  },
  async perform({ client, space }, subject, { decision, reason = '' }) {
    const { fp_id, onboarding_id, reason_code } = asHit(subject);
    const chosen = hitDecisionOf(decision);
    await client.call('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
      params: { fp_id, reason_code },
      query: space,
      body: { decision: chosen, reason, onboarding_id },
    });
    return {
      kind: 'done',
      notice: { tone: 'good', text: `${reason_code} is ${HIT_WORDS[chosen]}` },
      changes: true,
    };
  },
};

function hitDecisionOf(value: string | undefined): (typeof HIT_DECISIONS)[number] {
  return HIT_DECISIONS.find((known) => known === value) ?? 'false_positive';
}

function asHit(subject: Subject): HitSubject {
  if (subject.kind === 'hit') return subject;
  throw new TypeError(`no hit: ${subject.kind}`);
}
