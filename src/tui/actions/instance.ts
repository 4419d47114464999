/** What changes the instance as a whole: its clock, fault rules and snapshots (contract §11). */
import { HTTP_METHODS } from '../../contract/facts/requests.ts';
import { FAULT_PRESETS, findPreset } from '../../contract/fault-presets.ts';
import { defined } from '../../kernel/defined.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { counted } from '../../kernel/count-text.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { RequestOf } from '../../contract/registry.ts';
import type { Source } from '../data/source.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { asInstance, done, ON_INSTANCE, asThing, countProblem, onThing } from './things.ts';

// The clock: advanced, frozen, resumed.

const DUE = 'Work that is due by then runs at once: delayed outcomes, expiries, webhook attempts.';

export const clock_advance: ActionDefinition = {
  name: 'clock_advance',
  label: 'Advance the clock',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'by',
      label: 'By',
      kind: 'text',
      isRequired: true,
      hint: 'How much time passes: 90s, 15m, 2h, 3d, or P1DT12H',
    },
  ],
  check: (_, value) =>
    (parseDuration(value, 0) ?? 0) > 0
      ? undefined
      : 'Give a number with ms, s, m, h or d, such as 90s, or P1DT12H',
  confirm: (subject, { by = '' }) => [
    `The clock of instance ${asInstance(subject).instance} moves forward by ${by}, in both environments.`,
    DUE,
  ],
  perform: (source, _, { by = '' }) => moved(source, { action: 'advance', by }),
};

export const clock_freeze: ActionDefinition = {
  name: 'clock_freeze',
  label: 'Freeze the clock',
  ...ON_INSTANCE,
  fields: () => [],
  confirm: (subject) => [
    `The clock of instance ${asInstance(subject).instance} stops, in both environments.`,
    'Nothing becomes due until the clock is advanced or resumed.',
  ],
  perform: (source) => moved(source, { action: 'freeze' }),
};

export const clock_resume: ActionDefinition = {
  name: 'clock_resume',
  label: 'Resume the clock',
  ...ON_INSTANCE,
  fields: () => [],
  confirm: (subject) => [
    `The clock of instance ${asInstance(subject).instance} follows real time again, in both environments.`,
    DUE,
  ],
  perform: (source) => moved(source, { action: 'resume' }),
};

async function moved(
  { client }: Source,
  body: RequestOf<'PUT /_kyclone/clock'>['body'],
): Promise<ActionOutcome> {
  const { now, drained } = await client.call('PUT /_kyclone/clock', { body });
  return done(`The clock shows ${shortTime(now)}; ${counted(drained, 'due task')} ran`);
}

// Fault rules: requests that fail, wait or break on purpose.

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

// Snapshots: saved, loaded, deleted.

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const snapshot_create: ActionDefinition = {
  name: 'snapshot_create',
  label: 'Save a snapshot',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'name',
      label: 'Name',
      kind: 'text',
      isRequired: true,
      hint: '1 to 64 of a-z, 0-9, dot, underscore and hyphen',
    },
  ],
  check: (_, value) =>
    NAME.test(value) ? undefined : 'A name has 1 to 64 of a-z, 0-9, . _ -, and begins with a letter or digit',
  confirm: (subject, { name = '' }) => [
    `This saves the whole state of instance ${asInstance(subject).instance}, both environments, as snapshot “${name}”.`,
    'It does not replace a snapshot of this name. The snapshot keeps what is deleted later, until it is deleted itself.',
  ],
  async perform({ client }, _, { name = '' }) {
    await client.call('PUT /_kyclone/snapshots/{name}', { params: { name } });
    return done(`Saved as ${name}`);
  },
};

const KEEP = 'keep';

export const snapshot_load: ActionDefinition = {
  name: 'snapshot_load',
  label: 'Load the snapshot',
  ...onThing('snapshot', 'a snapshot'),
  fields: () => [
    {
      name: 'revoked',
      label: 'Deleted or revoked since then',
      kind: 'choice',
      choices: [
        { value: KEEP, label: 'stays deleted and revoked' },
        { value: 'revive', label: 'comes back, too' },
      ],
      isRequired: true,
    },
  ],
  confirm(subject, { revoked = '', instance = '' }) {
    const { name, details } = asThing(subject);
    return [
      `Snapshot ${name} replaces the whole state of instance ${instance}, both environments: ${details}.`,
      'Everything that was not saved is lost for good.',
      revoked === KEEP
        ? 'People deleted and keys and tokens revoked since then stay so.'
        : 'People deleted and keys and tokens revoked since then come back.',
    ];
  },
  async perform({ client }, subject, { revoked = '' }) {
    const { name } = asThing(subject);
    const query = revoked === KEEP ? { keep_revoked: true } : {};
    const { revived } = await client.call('POST /_kyclone/snapshots/{name}/load', {
      params: { name },
      query,
    });
    const { entities, keys, tokens } = revived;
    const back = entities + keys + tokens === 0 ? '' : `; back again: ${countsText(revived)}`;
    return done(`Snapshot ${name} is loaded${back}`);
  },
};

export const snapshot_delete: ActionDefinition = {
  name: 'snapshot_delete',
  label: 'Delete the snapshot',
  ...onThing('snapshot', 'a snapshot'),
  forMany: true,
  fields: () => [],
  confirm: (subject) => [
    `This deletes snapshot ${asThing(subject).name}: ${asThing(subject).details}.`,
    'This can not be undone. What no other snapshot holds is lost for good.',
  ],
  async perform({ client }, subject) {
    const { name } = asThing(subject);
    const { final, unreadable } = await client.call('DELETE /_kyclone/snapshots/{name}', {
      params: { name },
    });
    const { entities, keys, tokens } = final;
    const gone = entities + keys + tokens === 0 ? '' : `; lost with it: ${countsText(final)}`;
    const unknown =
      unreadable.length === 0
        ? ''
        : `; not counted, since they could not be opened: ${unreadable.map((each) => each.name).join(', ')}`;
    return done(`Snapshot ${name} is deleted${gone}${unknown}`);
  },
};

function countsText(counts: { entities: number; tokens: number; keys: number }): string {
  const { entities, tokens, keys } = counts;
  return [
    ...(entities > 0 ? [counted(entities, 'user or business', 'users and businesses')] : []),
    ...(keys > 0 ? [counted(keys, 'API key')] : []),
    ...(tokens > 0 ? [counted(tokens, 'client token')] : []),
  ].join(', ');
}
