/** Fault rules: a pane of the clock's screen, and their actions (contract §11). */
import { HTTP_METHODS } from '../requests/facts.ts';
import { FAULT_PRESETS, findPreset } from './endpoints/presets.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { type ActionDefinition, choiceField, textField } from '../../tui/actions/definition.ts';
import {
  timesField,
  done,
  type InstanceThing,
  ON_INSTANCE,
  onThing,
  type Thing,
} from '../../tui/actions/things.ts';
import { listPane } from '../../tui/screens/list-pane.ts';
import type { Cell } from '../../tui/state/model.ts';
import { effectText, requestsText } from './words.ts';
import { copiesOf } from '../../tui/screens/space.ts';

export const faultsPane = listPane('GET /_kyclone/faults', {
  title: 'Faults',
  query: {},
  columns: [
    { heading: 'REQUESTS', grows: true, atLeast: 24, cell: requestsText },
    { heading: 'WHAT HAPPENS', cell: effectText },
    { heading: 'LEFT', cell: leftCell },
    { heading: 'HITS', align: 'right', cell: 'hits' },
    { heading: 'RULE', isId: true, atLeast: 12, drop: 1, cell: 'id' },
  ],
  empty: 'No fault rules',
  changesWith: ['clock', 'fault', 'request'],
  creates: 'fault_create',
  deletes: 'fault_delete',
  row: (rule) => ({
    id: rule.id,
    subject: {
      kind: 'thing',
      what: 'fault',
      id: rule.id,
      name: requestsText(rule),
      details: effectText(rule),
      isEnabled: rule.enabled,
    },
    ...copiesOf(['faults', 'list'], `/_kyclone/faults/${rule.id}`),
  }),
});

function leftCell({ enabled, times, hits }: AnswerOf<'GET /_kyclone/faults/{id}'>): Cell {
  if (!enabled) return { text: 'spent', tone: 'dim' };
  return { text: times === undefined ? 'always' : `${times - hits} of ${times}`, tone: 'warn' };
}

const ANY = 'any';

export const fault_create: ActionDefinition<InstanceThing> = {
  label: 'Inject a fault',
  ...ON_INSTANCE,
  fields: () => [
    textField(
      'path',
      'Path',
      'The path of the requests, such as /users/*/kyc; * is one segment, ** any number',
      {
        problem: (value) => (/^\/[^?#]*$/.test(value) ? undefined : 'A path begins with / and has no query'),
      },
    ),
    choiceField('method', 'Method', [ANY, ...HTTP_METHODS]),
    choiceField(
      'preset',
      'What happens',
      FAULT_PRESETS.map(({ name, description }) => ({ value: name, label: `${name}: ${description}` })),
    ),
    timesField('After this number of requests the rule ends; empty: as the choice above says'),
  ],
  confirm: ({ instance }, { path = '', method = ANY, preset = '', times = '' }) => [
    `${method === ANY ? 'All' : method} requests to ${path} of instance ${instance}, in both environments: ${
      findPreset(preset)?.description ?? preset
    }${times === '' ? '' : `, ${times === '1' ? 'once' : `${times} times`}`}.`,
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

export const fault_delete: ActionDefinition<Thing> = {
  label: 'Delete the fault rule',
  ...onThing('fault', 'a fault rule'),
  forMany: true,
  confirm: ({ id, name, details }) => [
    `Fault rule ${id} for ${name} is deleted (${details}).`,
    'The requests that it matched get normal answers again.',
  ],
  async perform({ client }, { id }) {
    await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    return done(`Fault rule ${id} is deleted`);
  },
};
