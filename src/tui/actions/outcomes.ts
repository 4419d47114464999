/** Rules that choose the outcome of runs (contract §4.3). */
import { OUTCOMES } from '../../contract/facts/onboardings.ts';
import type { ActionDefinition } from './definition.ts';
import { asInstance, asThing, countProblem, done, ON_INSTANCE, onThing } from './things.ts';

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
