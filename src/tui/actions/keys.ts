/** Creates, rolls and revokes API keys. A new key is shown once (contract §0.2, §11). */
import { allPages } from '../../client/pages.ts';
import type { Source } from '../data/source.ts';
import { inWords } from '../words.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { isLongerThan } from './subjects.ts';
import { asInstance, asThing, done, ON_INSTANCE, onThing } from './things.ts';

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
