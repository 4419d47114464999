/** Playbooks, and the rules that choose how their runs end: screens and actions (contract §4.1, §4.3, §14). */
import { OUTCOMES } from '../onboardings/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { counted } from '../../kernel/count-text.ts';
import { durationText } from '../../kernel/duration.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { ActionDefinition } from '../../tui/actions/definition.ts';
import { asInstance, asThing, countProblem, done, ON_INSTANCE, onThing } from '../../tui/actions/things.ts';
import { listPane, listScreen } from '../../tui/screens/list-pane.ts';
import { spacedCommand, spacedPath } from '../../tui/screens/space.ts';
import type { Cell } from '../../tui/state/model.ts';

// The playbooks of this environment: the requirements of runs and hosted flows, and how they end (contract §4.1,
// §14).

type Playbook = AnswerOf<'GET /_kyclone/playbooks'>['data'][number];

export const playbooksScreen = listScreen(
  'playbooks',
  'playbooks',
  listPane('GET /_kyclone/playbooks', {
    title: 'Playbooks',
    columns: [
      { heading: 'NAME', grows: true, atLeast: 12, cell: 'name' },
      { heading: 'KIND', cell: 'kind' },
      { heading: 'OUTCOME', cell: outcomeText },
      { heading: 'ASKS FOR', grows: true, atLeast: 18, cell: askedText },
      { heading: 'VERSION', align: 'right', drop: 1, cell: 'version' },
      { heading: 'KEY', isId: true, cell: 'key' },
      { heading: 'IDENTIFIERS', drop: 2, cell: identifiersText },
      { heading: 'CREATED (UTC)', drop: 3, cell: ({ created_at: at }) => shortTime(at) },
    ],
    empty: 'No playbooks: kyclone playbooks create makes one',
    changesWith: ['request'],
    row: ({ key }, { space }) => ({
      key,
      id: key,
      command: spacedCommand(['playbooks', 'get', key], space),
      call: { method: 'GET', path: spacedPath(`/_kyclone/playbooks/${key}`, space) },
    }),
  }),
);

/** `pass after 2s, in a session after 5s`. */
function outcomeText(playbook: Playbook): string {
  const { has_rules, default_outcome, delay_ms: delay, session_delay_ms: later } = playbook;
  return [
    (has_rules ? default_outcome : 'none') + (delay === 0 ? '' : ` after ${durationText(delay)}`),
    ...(later === delay
      ? []
      : [later === 0 ? 'in a session at once' : `in a session after ${durationText(later)}`]),
  ].join(', ');
}

/** What must be there, for who reads the row: of a group one is enough. */
function identifiersText({ requirements }: Playbook): string {
  const each = requirements.map((group) => group.join(' or '));
  return each.join(', ') || '-';
}

/** What a hosted flow asks for beside the data that must be there. */
function askedText(playbook: Playbook): string {
  const {
    requirements,
    documents,
    selfie,
    collects_owners: owners,
    owners_playbook_key: ownersKey,
  } = playbook;
  return [
    ...(requirements.length === 0 ? [] : [counted(requirements.length, 'required value')]),
    ...(documents === null
      ? []
      : [documents.length === 1 ? String(documents[0]) : `one of ${documents.length} documents`]),
    ...(selfie ? ['selfie'] : []),
    ...(owners ? [ownersKey === null ? 'owners' : 'owners, each verified'] : []),
    ...(playbook.bank_link ? ['bank'] : []),
  ].join(', ');
}

// The rules that choose how runs end, in the order of evaluation (contract §4.3).

type Rule = AnswerOf<'GET /_kyclone/outcomes'>['data'][number];

export const outcomesScreen = listScreen(
  'outcomes',
  'outcome rules',
  listPane('GET /_kyclone/outcomes', {
    title: 'Outcome rules',
    columns: [
      { heading: 'PRIORITY', align: 'right', cell: 'priority' },
      { heading: 'OUTCOME', cell: 'outcome' },
      { heading: 'RUNS WITH', grows: true, atLeast: 20, cell: matchText },
      { heading: 'LEFT', cell: leftCell },
      { heading: 'ALSO', drop: 1, cell: alsoText },
      { heading: 'RULE', isId: true, atLeast: 12, cell: 'id' },
    ],
    empty: 'No outcome rules: + creates one',
    changesWith: ['request', 'onboarding'],
    creates: 'outcome_create',
    deletes: 'outcome_delete',
    row: (rule, { space }) => ({
      key: rule.id,
      id: rule.id,
      command: spacedCommand(['outcomes', 'get', rule.id], space),
      call: { method: 'GET', path: spacedPath(`/_kyclone/outcomes/${rule.id}`, space) },
      subject: {
        kind: 'thing',
        what: 'outcome',
        id: rule.id,
        isEnabled: rule.enabled,
        name: `runs with ${matchText(rule)} end as ${rule.outcome}`,
        details: leftCell(rule).text,
      },
    }),
  }),
);

/** The daemon sends a matched value masked. */
function matchText({ match: { identifier, ...texts } }: Rule): string {
  const parts = Object.entries(texts).map(([name, text]) => `${name.replaceAll('_', ' ')} ${text}`);
  return [...parts, ...(identifier ? [`${identifier.name} ${identifier.equals}`] : [])].join(', ');
}

function leftCell({ enabled, times, remaining }: Rule): Cell {
  if (!enabled) return { text: 'disabled', tone: 'dim' };
  if (times === undefined) return { text: 'always', tone: 'plain' };
  const left = remaining ?? times;
  return { text: `${left} of ${times}`, tone: left === 0 ? 'dim' : 'plain' };
}

function alsoText({ delay_ms: delay, signals }: Rule): string {
  return [
    ...(delay === undefined ? [] : [`after ${durationText(delay)}`]),
    ...(signals?.add.map((code) => `+${code}`) ?? []),
    ...(signals?.remove.map((code) => `-${code}`) ?? []),
  ].join(' ');
}

// Rules that choose the outcome of runs (contract §4.3).

const MATCHES = {
  external_id: 'the external id',
  fp_id: 'the id of the user or business',
  sandbox_id: 'the sandbox id',
  playbook_key: 'the key of the playbook',
} as const;
const NAMES = Object.keys(MATCHES) as (keyof typeof MATCHES)[];
const matchOf = (by: string) => NAMES.find((name) => name === by) ?? 'external_id';

export const outcome_create: ActionDefinition = {
  name: 'outcome_create',
  label: 'Create an outcome rule',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'by',
      label: 'Match runs by',
      kind: 'choice',
      choices: NAMES.map((value) => ({ value, label: MATCHES[value] })),
      isRequired: true,
    },
    {
      name: 'pattern',
      label: 'Value',
      kind: 'text',
      isRequired: true,
      hint: '* is any text, as in vip-*. No personal data: it is stored in the clear',
    },
    {
      name: 'outcome',
      label: 'Outcome',
      kind: 'choice',
      choices: OUTCOMES.map((value) => ({ value, label: value })),
      isRequired: true,
    },
    {
      name: 'times',
      label: 'How many times',
      kind: 'text',
      isRequired: false,
      hint: 'After this number of runs the rule ends; empty: it stays',
    },
  ],
  check(field, value) {
    if (field === 'times') return countProblem(value);
    return field === 'pattern' && value.length > 256 ? 'At most 256 characters' : undefined;
  },
  confirm(subject, { by = '', pattern = '', outcome = '', times = '' }) {
    const { instance, environment } = asInstance(subject);
    const isOne = times === '' || times === '1';
    const runs = times === '' ? 'Each run' : isOne ? 'The next run' : `The next ${times} runs`;
    return [
      `${runs} in the ${environment} environment of instance ${instance} whose ${MATCHES[matchOf(by)].replace('the ', '')} is ${pattern} ${isOne ? 'ends' : 'end'} as ${outcome}.`,
      'Runs that have ended do not change.',
    ];
  },
  async perform({ client, space }, _, { by = '', pattern = '', outcome = '', times = '' }) {
    const body = {
      match: { [matchOf(by)]: pattern },
      outcome: OUTCOMES.find((each) => each === outcome) ?? 'pass',
      ...(times !== '' && { times: Number(times) }),
    };
    const { id } = await client.call('POST /_kyclone/outcomes', { query: space, body });
    return done(`Outcome rule ${id} is created`);
  },
};

export const outcome_delete: ActionDefinition = {
  name: 'outcome_delete',
  label: 'Delete the outcome rule',
  ...onThing('outcome', 'an outcome rule'),
  forMany: true,
  fields: () => [],
  confirm: (subject) => [
    `Outcome rule ${asThing(subject).id} is deleted: ${asThing(subject).name} (${asThing(subject).details}).`,
    'Later runs that it matched end without it.',
  ],
  async perform({ client, space }, subject) {
    const { id } = asThing(subject);
    await client.call('DELETE /_kyclone/outcomes/{id}', { params: { id }, query: space });
    return done(`Outcome rule ${id} is deleted`);
  },
};
