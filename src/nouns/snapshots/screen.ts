/** Snapshots: their screen and their actions (contract §11). */
import { ApiError } from '../../client/errors.ts';
import { allPages } from '../../client/pages.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import { type ActionDefinition, choiceField, textField } from '../../tui/actions/definition.ts';
import { done, type InstanceThing, ON_INSTANCE, onThing, type Thing } from '../../tui/actions/things.ts';
import { listPane, listScreen } from '../../tui/screens/list-pane.ts';
import { heldTexts, sizeText, SNAPSHOT_NAME } from './words.ts';
import { copiesOf } from '../../tui/screens/space.ts';

// Saves, loads and deletes snapshots (contract §11).

const KEEP = 'keep';
const REPLACE = 'replace';

export const snapshot_create: ActionDefinition<InstanceThing> = {
  label: 'Save a snapshot',
  ...ON_INSTANCE,
  fields: () => [
    textField('name', 'Name', '1 to 64 of a-z, 0-9, dot, underscore and hyphen', {
      problem: (value) =>
        SNAPSHOT_NAME.test(value)
          ? undefined
          : 'A name has 1 to 64 of a-z, 0-9, . _ -, and begins with a letter or digit',
    }),
    choiceField('existing', 'A snapshot of this name', [
      { value: KEEP, label: 'stays: nothing is saved then' },
      { value: REPLACE, label: 'is replaced' },
    ]),
  ],
  confirm: ({ instance }, { name = '', existing = KEEP }) => [
    `This saves the whole state of instance ${instance}, both environments, as snapshot “${name}”.`,
    existing === REPLACE
      ? 'A snapshot of this name is replaced: what it held, and no other snapshot does, is lost for good.'
      : 'It does not replace a snapshot of this name.',
    'The snapshot keeps what is deleted later, until it is deleted itself.',
  ],
  async perform({ client }, _, { name = '', existing = KEEP }) {
    const query = existing === REPLACE ? { overwrite: true } : {};
    try {
      await client.call('PUT /_kyclone/snapshots/{name}', { params: { name }, query });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const all = await allPages((query) => client.call('GET /_kyclone/snapshots', { query }));
      if (existing === REPLACE || !all.some((each) => each.name === name)) throw error;
      const message = `There is a snapshot “${name}” already: choose that it is replaced, or another name`;
      throw new ApiError({ code: error.code, status: error.status, message });
    }
    return done(`Saved as ${name}`);
  },
};

export const snapshot_load: ActionDefinition<Thing> = {
  label: 'Load the snapshot',
  ...onThing('snapshot', 'a snapshot'),
  fields: () => [
    choiceField('revoked', 'Deleted or revoked since then', [
      { value: KEEP, label: 'stays deleted and revoked' },
      { value: 'revive', label: 'comes back, too' },
    ]),
  ],
  confirm: ({ name, details }, { revoked = '', instance = '' }) => [
    `Snapshot ${name} replaces the whole state of instance ${instance}, both environments: ${details}.`,
    'Everything that was not saved is lost for good.',
    revoked === KEEP
      ? 'People deleted and keys and tokens revoked since then stay so.'
      : 'People deleted and keys and tokens revoked since then come back.',
  ],
  async perform({ client }, { name }, { revoked = '' }) {
    const query = revoked === KEEP ? { keep_revoked: true } : {};
    const { revived } = await client.call('POST /_kyclone/snapshots/{name}/load', {
      params: { name },
      query,
    });
    const back = countsText(revived);
    return done(`Snapshot ${name} is loaded${back && `; back again: ${back}`}`);
  },
};

export const snapshot_delete: ActionDefinition<Thing> = {
  label: 'Delete the snapshot',
  ...onThing('snapshot', 'a snapshot'),
  forMany: true,
  confirm: ({ name, details }) => [
    `This deletes snapshot ${name}: ${details}.`,
    'This can not be undone. What no other snapshot holds is lost for good.',
  ],
  async perform({ client }, { name }) {
    const { final, unreadable } = await client.call('DELETE /_kyclone/snapshots/{name}', {
      params: { name },
    });
    const lost = countsText(final);
    const gone = lost && `; lost with it: ${lost}`;
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

// The saved snapshots, newest first. The copied command compares one with the current state.

type Snapshot = AnswerOf<'GET /_kyclone/snapshots'>['data'][number];

export const snapshotsScreen = listScreen(
  { name: 'snapshots', says: 'saved states of this instance', words: 'save state restore' },
  listPane('GET /_kyclone/snapshots', {
    title: 'Snapshots',
    query: {},
    columns: [
      { heading: 'NAME', cell: 'name' },
      { heading: 'SAVED (UTC)', cell: ({ created_at: at }) => shortTime(at) },
      { heading: 'SIZE', align: 'right', cell: sizeText },
      {
        heading: 'SCHEMA',
        align: 'right',
        drop: 1,
        cell: ({ schema, problem }) => (problem === undefined ? String(schema) : '?'),
      },
      { heading: 'HOLDS', grows: true, cell: holdsText },
    ],
    empty: 'No snapshots',
    changesWith: ['request'],
    isFeed: true,
    creates: 'snapshot_create',
    deletes: 'snapshot_delete',
    row: (snapshot) => {
      const { name, created_at: at, problem } = snapshot;
      return {
        id: name,
        subject: {
          kind: 'thing',
          what: 'snapshot',
          id: name,
          name,
          isEnabled: problem === undefined,
          details: `${holdsText(snapshot)}, saved ${shortTime(at)} UTC`,
        },
        ...copiesOf(['snapshot', 'diff', name], `/_kyclone/snapshots/${name}/diff`),
      };
    },
  }),
);

function holdsText(snapshot: Snapshot): string {
  return snapshot.problem ?? (heldTexts(snapshot).join(', ') || 'nobody');
}
