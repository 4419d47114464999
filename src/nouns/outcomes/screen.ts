/** The rules that choose how runs end, in the order of evaluation: screen and actions (contract §4.3). */
import { OUTCOMES } from './facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../../kernel/time/duration.ts';
import { type ActionDefinition, choiceField, textField } from '../../tui/actions/definition.ts';
import {
  done,
  type InstanceThing,
  ON_INSTANCE,
  onThing,
  type Thing,
  timesField,
} from '../../tui/actions/things.ts';
import { listPane, listScreen } from '../../tui/screens/list-pane.ts';
import { copiesOf } from '../../tui/screens/space.ts';
import type { Cell } from '../../tui/state/model.ts';

type Rule = AnswerOf<'GET /_kyclone/outcomes'>['data'][number];

export const outcomesScreen = listScreen(
  { name: 'outcome rules', says: 'rules that decide how runs end', words: 'rules fixtures' },
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
      id: rule.id,
      ...copiesOf(['outcomes', 'get', rule.id], `/_kyclone/outcomes/${rule.id}`, space),
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

const MATCHES = {
  external_id: 'the external id',
  fp_id: 'the id of the user or business',
  sandbox_id: 'the sandbox id',
  playbook_key: 'the key of the playbook',
} as const;
const NAMES = Object.keys(MATCHES) as (keyof typeof MATCHES)[];
const matchOf = (by: string) => NAMES.find((name) => name === by) ?? 'external_id';

export const outcome_create: ActionDefinition<InstanceThing> = {
  label: 'Create an outcome rule',
  ...ON_INSTANCE,
  fields: () => [
    choiceField(
      'by',
      'Match runs by',
      NAMES.map((value) => ({ value, label: MATCHES[value] })),
    ),
    textField('pattern', 'Value', '* is any text, as in vip-*. No personal data: it is stored in the clear', {
      problem: (value) => (value.length > 256 ? 'At most 256 characters' : undefined),
    }),
    choiceField('outcome', 'Outcome', OUTCOMES),
    timesField('After this number of runs the rule ends; empty: it stays'),
  ],
  confirm({ instance, environment }, { by = '', pattern = '', outcome = '', times = '' }) {
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

export const outcome_delete: ActionDefinition<Thing> = {
  label: 'Delete the outcome rule',
  ...onThing('outcome', 'an outcome rule'),
  forMany: true,
  confirm: ({ id, name, details }) => [
    `Outcome rule ${id} is deleted: ${name} (${details}).`,
    'Later runs that it matched end without it.',
  ],
  async perform({ client, space }, { id }) {
    await client.call('DELETE /_kyclone/outcomes/{id}', { params: { id }, query: space });
    return done(`Outcome rule ${id} is deleted`);
  },
};
