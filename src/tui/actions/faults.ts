/** Fault rules: requests that fail, wait or break on purpose (contract §11). */
import { FAULT_PRESETS, findPreset } from '../../contract/fault-presets.ts';
import { HTTP_METHODS } from '../../contract/facts/requests.ts';
import type { RequestOf } from '../../contract/registry.ts';
import type { ActionDefinition } from './definition.ts';
import { asInstance, asThing, countProblem, done, ON_INSTANCE, onThing } from './things.ts';
import { defined } from '../../kernel/defined.ts';

const ANY = 'any';

export const fault_create: ActionDefinition = {
  name: 'fault_create',
  label: 'Inject a fault',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'path',
      label: 'Path',
      kind: 'text',
      isRequired: true,
      hint: 'The path of the requests, such as /users/*/kyc; * is one segment, ** any number',
    },
    {
      name: 'method',
      label: 'Method',
      kind: 'choice',
      choices: [ANY, ...HTTP_METHODS].map((value) => ({ value, label: value })),
      isRequired: true,
    },
    {
      name: 'preset',
      label: 'What happens',
      kind: 'choice',
      choices: FAULT_PRESETS.map(({ name, description }) => ({
        value: name,
        label: `${name}: ${description}`,
      })),
      isRequired: true,
    },
    {
      name: 'times',
      label: 'How many times',
      kind: 'text',
      isRequired: false,
      hint: 'After this number of requests the rule ends; empty: as the choice above says',
    },
  ],
  check(field, value) {
    if (field === 'times') return countProblem(value);
    return field === 'path' && !/^\/[^?#]*$/.test(value)
      ? 'A path begins with / and has no query'
      : undefined;
  },
  confirm: (subject, { path = '', method = ANY, preset = '', times = '' }) => [
    `${method === ANY ? 'All' : method} requests to ${path} of instance ${asInstance(subject).instance}, in both environments: ${
      findPreset(preset)?.description ?? preset
    }${times === '' ? '' : `, ${times} times`}.`,
    `Earlier rules apply first. The rule also applies to requests of this inspector${
      times === '' ? ', and stays until it is deleted' : ''
    }.`,
  ],
  async perform({ client }, _, { path = '', method = ANY, preset = '', times = '' }) {
    const named = HTTP_METHODS.find((each) => each === method);
    const body: RequestOf<'POST /_kyclone/faults'>['body'] = {
      ...findPreset(preset)?.rule,
      match: { path, ...defined({ method: named }) },
      ...(times !== '' && { times: Number(times) }),
    };
    const { id } = await client.call('POST /_kyclone/faults', { body });
    return done(`Fault rule ${id} is created`);
  },
};

export const fault_delete: ActionDefinition = {
  name: 'fault_delete',
  label: 'Delete the fault rule',
  ...onThing('fault', 'a fault rule'),
  forMany: true,
  fields: () => [],
  confirm: (subject) => [
    `Fault rule ${asThing(subject).id} for ${asThing(subject).name} is deleted (${asThing(subject).details}).`,
    'The requests that it matched get normal answers again.',
  ],
  async perform({ client }, subject) {
    const { id } = asThing(subject);
    await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    return done(`Fault rule ${id} is deleted`);
  },
};
