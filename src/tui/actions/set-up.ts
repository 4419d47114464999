/** What a tenant sets up: its API keys, and rules that choose the outcome of runs. */
import { allPages } from '../../client/pages.ts';
import { OUTCOMES } from '../../contract/facts/onboardings.ts';
import type { Source } from '../data/source.ts';
import { inWords } from '../words.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { isLongerThan } from './subjects.ts';
import { asInstance, asThing, done, ON_INSTANCE, onThing, countProblem } from './things.ts';

// API keys: a new one is shown once (contract §0.2, §11).

/** Excludes the key in use: revoking it would lock the user out. */
const ON_KEY = onThing('key', 'an API key other than the one in use here');
const NAME_LIMIT = 100;

export const key_create: ActionDefinition = {
  name: 'key_create',
  label: 'Create an API key',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      hint: 'A name for it. The key may do everything in this environment',
    },
  ],
  check: (_, value) =>
    isLongerThan(value, NAME_LIMIT) ? `A name has at most ${NAME_LIMIT} characters` : undefined,
  confirm(subject, { name = '' }) {
    const { instance, environment } = asInstance(subject);
    return [
      `This creates the API key “${name}”. It may do everything in the ${environment} environment of instance ${instance}.`,
      'The key is shown only once.',
    ];
  },
  async perform({ client, space }, _, { name = '' }) {
    const created = await client.call('POST /_kyclone/api-keys', { body: { name, ...space } });
    return shown(created.key, `API key “${name}”`, []);
  },
};

export const key_roll: ActionDefinition = {
  name: 'key_roll',
  label: 'Roll the API key',
  ...ON_KEY,
  fields: () => [],
  confirm(subject) {
    const { name, details } = asThing(subject);
    return [
      `API key “${name}” (${details}) is replaced by a new one with the same name and rights, which is shown only once.`,
      'The old key is deleted: requests that use it are refused.',
    ];
  },
  async perform(source, subject) {
    const { client } = source;
    const { id } = asThing(subject);
    const old = await findKey(source, id);
    if (old === undefined)
      return {
        kind: 'done',
        notice: { tone: 'warn', text: 'The key was deleted in the meantime' },
        changes: true,
      };
    const { name, tenant, environment, scopes, permissions } = old;
    const body = { name, tenant, environment, scopes, permissions };
    const created = await client.call('POST /_kyclone/api-keys', { body });
    // Shows the new key whatever happens to the old one, because nobody can ask for it again.
    const gone = await client.call('DELETE /_kyclone/api-keys/{id}', { params: { id } }).then(
      () => `The old key (${old.prefix}…) is deleted.`,
      (error: unknown) => `The old key (${old.prefix}…) still exists: ${inWords(error)}.`,
    );
    return shown(created.key, `API key “${name}”`, [gone]);
  },
};

export const key_delete: ActionDefinition = {
  name: 'key_delete',
  label: 'Revoke the API key',
  ...ON_KEY,
  forMany: true,
  fields: () => [],
  confirm: (subject) => [
    `API key “${asThing(subject).name}” (${asThing(subject).details}) is deleted.`,
    'Requests that use it are refused. It can not be created again.',
  ],
  async perform({ client }, subject) {
    const { id, name } = asThing(subject);
    await client.call('DELETE /_kyclone/api-keys/{id}', { params: { id } });
    return done(`API key “${name}” is revoked`);
  },
};

function shown(key: string, title: string, lines: readonly string[]): ActionOutcome {
  return { kind: 'secret', title, secret: key, lines: [...lines, 'It is not shown again.'] };
}

async function findKey({ client, space }: Source, id: string) {
  const keys = await allPages((page) =>
    client.call('GET /_kyclone/api-keys', { query: { ...space, ...page } }),
  );
  return keys.find((key) => key.id === id);
}

// Outcome rules (contract §4.3).

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
