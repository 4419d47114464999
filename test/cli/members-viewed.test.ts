/** What a command of one call prints for people has every member of the result, or there is a reason why not. */
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { PLAIN, type Style } from '../../src/cli/shell/output.ts';
import { derivedCommands, runOn } from '../support/derived-commands.ts';

type Members = Readonly<Record<string, TSchema>>;

/** What a command needs to make its call. */
const GIVEN: Readonly<Record<string, { args?: object; flags?: object }>> = {
  ...Object.fromEntries(
    ['keys', 'webhooks', 'proxy:configs'].map((topic) => [`${topic}:update`, { flags: { enable: true } }]),
  ),
  ...Object.fromEntries(
    ['users:device', 'businesses:device'].map((id) => [id, { flags: { 'cookie-id': 'c' } }]),
  ),
  'clock:advance': { args: { by: '2h' } },
  'clock:offset': { args: { by: '2h' } },
  'faults:create': { flags: { status: 500 } },
  'outcomes:create': { flags: { 'fp-id': 'fp_id_x' } },
  'onboardings:complete': { args: { fields: [] } },
  'vault:validate': { args: { fields: [] } },
};
/** Members that a view leaves out, by command. */
const WITHOUT: Readonly<Record<string, readonly [members: string, why: string]>> = {
  'audit:verify': ['head', 'it is compared with the one that is expected'],
  'keys:create': ['scopes permissions enabled created_at last_used_at prefix', 'keys list shows them'],
  'keys:update': ['created_at last_used_at prefix', 'keys list shows them'],
  'keyring:slots:create': ['created_at last_used_at', 'keyring status shows them'],
  'onboardings:resolve': ['id', 'it was typed'],
  'requests:get': ['token_id', 'the caller is the key, where there is one'],
  'risk-signals:review': ['onboarding_id severity found_at', 'the signal has them'],
  ...Object.fromEntries(
    ['users', 'businesses'].flatMap((topic) => [
      [`${topic}:claim`, ['since', 'it is now']],
      [`${topic}:compare`, ['with', 'it was typed']],
      [`${topic}:verify`, ['identifier result', 'the list of results has them']],
    ]),
  ),
};

/** A value of the schema, with every member. */
function valueOf(schema: TSchema): unknown {
  const { anyOf = [], enum: words = [], type, items, properties = {} } = schema as Partial<TSchema>;
  const [choice] = (anyOf as TSchema[]).filter((each) => each['type'] !== 'null');
  if (choice !== undefined) return valueOf(choice);
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties as Members).map(([name, member]) => [name, valueOf(member)]),
    );
  if (type === 'array') return [valueOf(items as TSchema)];
  const plain: Record<string, unknown> = {
    string: '2026-01-31T12:00:00.000Z',
    boolean: true,
    integer: 1,
    number: 1,
  };
  return (words as unknown[])[0] ?? schema['const'] ?? plain[type as string] ?? null;
}

/** The text about holdings has the names of accounts from another call. */
const cases = derivedCommands.flatMap(({ id, endpoint, ...own }) =>
  endpoint?.response['properties'] === undefined || id === 'bank:holdings'
    ? []
    : [{ id, response: endpoint.response, ...own }],
);

test.each(cases)(
  'commands: the text of $id has each member of its result',
  async ({ id, response, ...own }) => {
    const read = new Set<string | symbol>();
    const result = new Proxy(valueOf(response) as object, {
      get(target, name, receiver) {
        read.add(name);
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    const args = Object.fromEntries(Object.keys(own.args).map((name) => [name, 'id.a']));
    const required = Object.entries(own.flags).filter(([, flag]) => flag.required);
    const flags = Object.fromEntries(required.map(([name, { options = ['id.a=y'] }]) => [name, options[0]]));
    const given = { args: { ...args, ...GIVEN[id]?.args }, flags: { ...flags, ...GIVEN[id]?.flags } };
    await runOn(own.command, {
      client: { call: () => Promise.resolve(result) },
      parse: () => Promise.resolve(given),
      // Without the control token: with it, some ask for the settings first.
      access: () => Promise.resolve({ keys: {} }),
      isForPeople: true,
      note: () => undefined,
      endWith: () => undefined,
      present: (shown: object, view: (shown: object, style: Style) => string) => view(shown, PLAIN),
    });
    const missing = Object.keys(response['properties'] as object).filter((name) => !read.has(name));
    const [left = ''] = WITHOUT[id] ?? [];
    expect(missing.join(' '), 'show it in the view of the command, or add a reason to WITHOUT').toBe(left);
  },
);
