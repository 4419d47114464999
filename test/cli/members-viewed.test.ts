/** What a command of one call prints for people has every member of the result, or there is a reason why not. */
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { entityEndpoint, type EntityKey } from '../../src/client/entity-endpoint.ts';
import { PLAIN, type Style } from '../../src/cli/shell/output.ts';
import { endpoints } from '../../src/contract/registry.ts';
import commands from '../../src/devtools/every-command.ts';

interface Declared {
  readonly required?: boolean;
  readonly options?: readonly string[];
}
interface Derived {
  new (argv: string[], config: object): { run(): Promise<unknown> };
  readonly endpoint?: string;
  readonly args: Readonly<Record<string, Declared>>;
  readonly flags: Readonly<Record<string, Declared>>;
}
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

const cases = Object.entries(commands as unknown as Record<string, Derived>).flatMap(([id, command]) => {
  const { endpoint } = command;
  // The text about holdings has the names of accounts from another call.
  if (endpoint === undefined || id === 'bank:holdings') return [];
  const entity = id.startsWith('businesses:') ? 'fp_bid_x' : 'fp_id_x';
  const key = endpoint.includes(' /{entity}') ? entityEndpoint(endpoint as EntityKey, entity).key : endpoint;
  const response = endpoints.find((each) => each.key === key)?.response;
  return response?.['properties'] === undefined ? [] : [[id, command, response] as const];
});

test.each(cases)('commands: the text of %s has each member of its result', async (id, command, response) => {
  const read = new Set<string | symbol>();
  const result = new Proxy(valueOf(response) as object, {
    get(target, name, receiver) {
      read.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const args = Object.fromEntries(Object.keys(command.args).map((name) => [name, 'id.a']));
  const required = Object.entries(command.flags).filter(([, flag]) => flag.required);
  const flags = Object.fromEntries(required.map(([name, { options = ['id.a=y'] }]) => [name, options[0]]));
  const given = { args: { ...args, ...GIVEN[id]?.args }, flags: { ...flags, ...GIVEN[id]?.flags } };
  const stood = {
    ...{ client: { call: () => Promise.resolve(result) }, access: Promise.resolve({ keys: {} }) },
    ...{ operator: 'Ada', isForPeople: true, note: () => undefined, endWith: () => undefined },
    ...{ parse: () => Promise.resolve(given), confirmLoss: () => Promise.resolve() },
    input: { secret: (text: string) => Promise.resolve(text), line: () => Promise.resolve('asked') },
    present: (shown: object, view: (shown: object, style: Style) => string) => view(shown, PLAIN),
  };
  const tried = new command([], { root: '/', version: '1' });
  for (const [name, value] of Object.entries(stood)) Object.defineProperty(tried, name, { value });
  await tried.run();
  const missing = Object.keys(response['properties'] as object).filter((name) => !read.has(name));
  const [left = ''] = WITHOUT[id] ?? [];
  expect(missing.join(' '), 'show it in the view of the command, or add a reason to WITHOUT').toBe(left);
});
