/** What is done to a user or business, beside its values and its case: runs, labels and tags, and comparisons. */
import { LABELS } from '../facts.ts';
import { RUN_KINDS } from '../../onboardings/facts.ts';
import type { Outcome as OnboardingOutcome } from '../../outcomes/facts.ts';
import { STATED_VALUE_LIMIT, type VerificationResult } from '../../vault/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { allPages } from '../../../client/pages.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Choice, Notice, FieldDefinition } from '../../../tui/state/model.ts';
import { identifiersOf } from '../../../tui/state/subject.ts';
import {
  type ActionDefinition,
  type ActionOutcome,
  choiceField,
  idOf,
  labelledId,
  textField,
  type Values,
  wordsOf,
} from '../../../tui/actions/definition.ts';
import { given, reasonField, recordLine } from '../../../tui/actions/reasons.ts';
import {
  entitySubject,
  reasonProblem,
  type EntitySubject,
  fieldSubject,
  type FieldSubject,
  isLongerThan,
  ON_ENTITY,
} from '../../../tui/actions/subjects.ts';
import { done } from '../../../tui/actions/things.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';

// Runs an entity through a playbook, with an outcome of choice (contract §4.2 to §4.4).

type RunResult = AnswerOf<'POST /users/{fp_id}/kyc'>;

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

export const onboard: ActionDefinition<EntitySubject> = {
  label: 'Run an onboarding',
  ...ON_ENTITY,
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
  async choices(source, entity, field) {
    switch (field) {
      case 'playbook':
        return await playbookChoices(source, entity);
      case 'outcome':
        return outcomeChoices(source, entity);
      default:
        return await againChoices(source, entity);
    }
  },
  confirm({ kind, fp_id }, { playbook = '', outcome = '', again = '', reason = '', operator = '' }) {
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
  async perform({ client }, { kind, fp_id }, { playbook = '', outcome = '', again = '', reason }) {
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
    const { onboarding_id, status, requires_manual_review } = result;
    const review = requires_manual_review ? ', to be reviewed' : '';
    return done(`Onboarding ${onboarding_id}: ${status}${review}`, TONES[status] ?? 'warn');
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
    .filter((playbook) => RUN_KINDS[kind].includes(playbook.kind))
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

// Sets labels and tags (contract §10).

const NONE = 'none';

export const label: ActionDefinition<EntitySubject> = {
  label: 'Label',
  ...ON_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    choiceField('label', 'Label', [...LABELS, { value: NONE, label: 'no label' }]),
    reasonField('reason', 'Reason', { isRequired: false }),
  ],
  requires: (field, { label: chosen }) => field === 'reason' && chosen !== 'active',
  confirm: ({ fp_id }, { label: chosen = '', reason = '', operator = '' }) => [
    chosen === NONE ? `${fp_id} has no label afterwards.` : `${fp_id} gets the label ${chosen}.`,
    recordLine(operator, reason),
  ],
  async perform({ client }, { fp_id }, { label: chosen = '', reason }) {
    const kind = LABELS.find((each) => each === chosen) ?? null;
    const { key, params } = entityEndpoint('POST /{entity}/label', fp_id);
    await client.call(key, { params, body: { kind, ...given({ reason }) } });
    return done(kind === null ? 'The label is removed' : `Labelled ${kind}`);
  },
};

const TAG = /^[A-Za-z0-9 _:.-]{1,64}$/;

export const tag: ActionDefinition<EntitySubject> = {
  label: 'Tag',
  ...ON_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    textField(
      'tag',
      'Tag',
      '1 to 64 letters, digits, spaces, and _ : . -. No personal data: a tag is stored in the clear',
      {
        problem: (value) =>
          TAG.test(value) ? undefined : 'A tag has 1 to 64 letters, digits, spaces, and _ : . -',
      },
    ),
    reasonField('reason', 'Reason', { isRequired: false }),
  ],
  requires: (field, { tag: text = '' }) => field === 'reason' && /fraud/i.test(text),
  confirm: ({ fp_id }, { tag: text = '', reason = '', operator = '' }) => [
    `${fp_id} gets the tag “${text}”.`,
    'Lists show it to everyone.',
    recordLine(operator, reason),
  ],
  async perform({ client }, { fp_id }, { tag: text = '', reason }) {
    const { key, params } = entityEndpoint('POST /{entity}/tags', fp_id);
    await client.call(key, { params, body: { tag: text, ...given({ reason }) } });
    return done(`Tagged ${text}`);
  },
};

// Compares what a caller says with stored fields. Shows nothing of the stored values (contract §10).

type Asked = EntitySubject | FieldSubject;

const RESULT_TEXTS: Readonly<Record<VerificationResult, Notice>> = {
  match: { tone: 'good', text: 'matches' },
  no_match: { tone: 'bad', text: 'does NOT match' },
  unreadable: { tone: 'warn', text: "can't be read" },
  nothing_to_compare: { tone: 'warn', text: 'nothing is stored to compare it with' },
};

/** What callers are asked for, if no field was chosen. */
const USUAL = {
  user: [
    'id.first_name',
    'id.last_name',
    'id.dob',
    'id.phone_number',
    'id.ssn4',
    'id.email',
    'id.address_line1',
    'id.zip',
  ],
  business: [
    'business.name',
    'business.tin',
    'business.phone_number',
    'business.address_line1',
    'business.zip',
  ],
} as const;

const HINT =
  'Compared with the stored value, whatever the case of letters or the form of a date, such as 12/30/88 or 30 Dec 1988. ' +
  'Only match or no match is shown';

const REASON = textField(
  'reason',
  'Reason',
  'The access log keeps the reason and the results, and not what the caller says',
  { problem: reasonProblem },
);

export const verify: ActionDefinition<Asked> = {
  label: 'Verify what a caller says',
  subject(row, screen) {
    const field = fieldSubject(row);
    if (field === undefined) return entitySubject(row, screen);
    return field.type === 'file' ? undefined : field;
  },
  needs: 'Select a user, a business or a field that is not a file first',
  leavesTrace: true,
  fields: (subject, all = [subject]) => [...fieldsAsked(all), REASON],
  // The form has said everything.
  confirm: () => [],
  perform: verifyAll,
  atOnce: {
    problem(subjects) {
      if (subjects.some((subject) => subject.kind !== 'field'))
        return 'Verify one user or business at a time, or fields of one: escape unmarks';
      const entities = new Set(subjects.map(({ fp_id }) => fp_id));
      return entities.size > 1 ? 'Only fields of one user or business can be verified together' : undefined;
    },
    async perform(source, subjects, values) {
      const [first] = subjects;
      if (first === undefined) throw new TypeError('no field to verify');
      return await verifyAll(source, first, values);
    },
  },
};

/** A single field must be given; the caller may know only some of several. */
function fieldsAsked(subjects: readonly Asked[]): readonly FieldDefinition[] {
  const identifiers = [...new Set(subjects.flatMap(identifiersAsked))];
  const [only, ...others] = identifiers;
  if (only !== undefined && others.length === 0)
    return [asked(only, { label: 'What the caller says', isRequired: true, hint: HINT })];
  return identifiers.map((identifier) =>
    asked(identifier, {
      label: identifier,
      isRequired: false,
      hint: `Empty if the caller doesn't say it. ${HINT}`,
    }),
  );
}

function asked(name: string, more: Pick<FieldDefinition, 'label' | 'isRequired' | 'hint'>): FieldDefinition {
  const problem = (value: string) =>
    isLongerThan(value, STATED_VALUE_LIMIT) ? `At most ${STATED_VALUE_LIMIT} characters` : undefined;
  return { name, kind: 'text', isShownOnce: true, problem, ...more };
}

function identifiersAsked(subject: Asked): readonly string[] {
  return subject.kind === 'field' ? identifiersOf(subject) : USUAL[subject.kind];
}

async function verifyAll({ client }: Source, { fp_id }: Asked, given: Values): Promise<ActionOutcome> {
  const { reason = '', ...typed } = given;
  const values = Object.entries(typed)
    .filter(([, value]) => value !== '')
    .map(([identifier, value]) => ({ identifier, value }));
  if (values.length === 0) return done('Nothing was given to verify, so nothing was compared', 'warn', false);
  const { key, params } = entityEndpoint('POST /{entity}/verify', fp_id);
  const { results } = await client.call(key, { params, body: { values, reason } });
  const fields = results.map(({ identifier, result, hint }) => {
    const { tone, text } = RESULT_TEXTS[result];
    return { identifier, tone, text: hint === null ? text : `${text}. ${hint}` };
  });
  return { type: 'verified', fp_id, fields };
}
