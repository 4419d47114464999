/** API keys: their screen, without secrets, and their actions. A new key is shown once (contract §0.2, §11). */
import { allPages } from '../../client/pages.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import { type ActionDefinition, type ActionOutcome, textField } from '../../tui/actions/definition.ts';
import { longProblem } from '../../tui/actions/subjects.ts';
import { done, type InstanceThing, ON_INSTANCE, onThing, type Thing } from '../../tui/actions/things.ts';
import type { Source } from '../../tui/data/source.ts';
import { listPane, listScreen } from '../../tui/screens/list-pane.ts';
import type { Cell } from '../../tui/state/model.ts';
import { inWords } from '../../tui/words.ts';
import { copiesOf } from '../../tui/screens/space.ts';

// The API keys of the environment, without their secrets (contract §0.2).

type ApiKey = AnswerOf<'GET /_kyclone/api-keys'>['data'][number];

export const keysScreen = listScreen(
  { name: 'api keys', says: 'API keys of this environment', words: 'credentials secrets tokens' },
  listPane('GET /_kyclone/api-keys', {
    title: 'API keys',
    columns: [
      {
        heading: 'LAST USED (UTC)',
        cell: ({ last_used_at: used }) => (used === null ? 'never' : shortTime(used)),
      },
      { heading: 'STATE', cell: stateCell },
      { heading: 'NAME', grows: true, atLeast: 20, cell: 'name' },
      { heading: 'KEY', cell: ({ prefix }) => `${prefix}…` },
      { heading: 'CREATED (UTC)', drop: 1, cell: ({ created_at: at }) => shortTime(at) },
      { heading: 'MAY', drop: 3, cell: ({ permissions, scopes }) => [...permissions, ...scopes].join(' ') },
      { heading: 'ID', isId: true, drop: 2, cell: 'id' },
    ],
    empty: 'No API keys',
    changesWith: ['request'],
    creates: 'key_create',
    deletes: 'key_delete',
    row: ({ id, name, prefix, enabled, environment }, source) => ({
      id,
      ...copiesOf(
        ['keys', 'list', '--environment', environment],
        `/_kyclone/api-keys?environment=${environment}`,
      ),
      // Revoking the key in use would lock the inspector out.
      ...(!source.isOwnKey(prefix) && {
        subject: {
          kind: 'thing',
          what: 'key',
          id,
          name,
          isEnabled: enabled,
          details: `${prefix}…, of the ${environment} environment`,
        },
      }),
    }),
  }),
);

function stateCell({ prefix, enabled }: ApiKey, source: Source): Cell {
  const state = source.isOwnKey(prefix) ? 'in use here' : enabled ? 'enabled' : 'disabled';
  return { text: state, tone: enabled ? 'good' : 'dim' };
}

// Creates, rolls and revokes API keys. A new key is shown once (contract §0.2, §11).

/** Excludes the key in use: revoking it would lock the user out. */
const ON_KEY = onThing('key', 'an API key other than the one in use here');
const NAME_LIMIT = 100;

export const key_create: ActionDefinition<InstanceThing> = {
  label: 'Create an API key',
  ...ON_INSTANCE,
  fields: () => [
    textField('name', 'Name', 'A name for it. The key may do everything in this environment', {
      problem: (value) => longProblem('A name', value, NAME_LIMIT),
    }),
  ],
  confirm: ({ instance, environment }, { name = '' }) => [
    `This creates the API key “${name}”. It may do everything in the ${environment} environment of instance ${instance}.`,
    'The key is shown only once.',
  ],
  async perform({ client, space }, _, { name = '' }) {
    const created = await client.call('POST /_kyclone/api-keys', { body: { name, ...space } });
    return shown(created.key, `API key “${name}”`, []);
  },
};

export const key_roll: ActionDefinition<Thing> = {
  label: 'Roll the API key',
  ...ON_KEY,
  confirm: ({ name, details }) => [
    `API key “${name}” (${details}) is replaced by a new one with the same name and rights, which is shown only once.`,
    'The old key is deleted: requests that use it are refused.',
  ],
  async perform(source, { id }) {
    const { client } = source;
    const old = await findKey(source, id);
    if (old === undefined) return done('The key was deleted in the meantime', 'warn');
    const { id: _id, prefix, enabled: _enabled, created_at: _since, last_used_at: _used, ...body } = old;
    const created = await client.call('POST /_kyclone/api-keys', { body });
    // Shows the new key whatever happens to the old one, because nobody can ask for it again.
    const gone = await client.call('DELETE /_kyclone/api-keys/{id}', { params: { id } }).then(
      () => `The old key (${prefix}…) is deleted.`,
      (error: unknown) => `The old key (${prefix}…) still exists: ${inWords(error)}.`,
    );
    return shown(created.key, `API key “${body.name}”`, [gone]);
  },
};

export const key_delete: ActionDefinition<Thing> = {
  label: 'Revoke the API key',
  ...ON_KEY,
  forMany: true,
  confirm: ({ name, details }) => [
    `API key “${name}” (${details}) is deleted.`,
    'Requests that use it are refused. It can not be created again.',
  ],
  async perform({ client }, { id, name }) {
    await client.call('DELETE /_kyclone/api-keys/{id}', { params: { id } });
    return done(`API key “${name}” is revoked`);
  },
};

function shown(key: string, title: string, lines: readonly string[]): ActionOutcome {
  return { type: 'secret', title, secret: key, lines: [...lines, 'It is not shown again.'] };
}

async function findKey({ client, space }: Source, id: string) {
  const keys = await allPages((page) =>
    client.call('GET /_kyclone/api-keys', { query: { ...space, ...page } }),
  );
  return keys.find((key) => key.id === id);
}
