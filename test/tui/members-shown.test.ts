/** Every member of what the inspector loads reaches one of its screens, or there is a reason for none. */
import '../support/tier-all.ts';
import { expect, test } from 'vitest';
import type { Source, SourceClient } from '../../src/tui/data/source.ts';
import { endpoints } from '../../src/contract/registry.ts';
import { readScreen } from '../../src/tui/index.ts';
import { aFullWorld, PLACES } from './a-full-world.ts';

/** The members of an endpoint's answers, and those of them that a screen has read. */
interface Members {
  readonly answered: Set<string>;
  readonly read: Set<string>;
  /** The objects whose members were all listed, such as `data[].match.`. */
  readonly listed: Set<string>;
}

/** Returns the answer so that what is read of it is noted, by the path of its member: `data[].id`. */
function noting<T>(value: T, members: Members, path = ''): T {
  if (typeof value !== 'object' || value === null) return value;
  const { answered, read, listed } = members;
  const isList = Array.isArray(value);
  const pathOf = (name: string) => (isList ? `${path}[]` : `${path}${path === '' ? '' : '.'}${name}`);
  if (!isList) for (const name of Object.keys(value)) answered.add(pathOf(name));
  return new Proxy(value, {
    ownKeys(target) {
      listed.add(pathOf(''));
      return Reflect.ownKeys(target);
    },
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol' || typeof member === 'function') return member;
      // Also of a member that is absent here.
      if (!isList) read.add(pathOf(name));
      return noting(member, members, pathOf(name));
    },
  });
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** The paths of the members that a schema declares, each with that of the object that has it. */
function declaredIn(schema: Schema | undefined, path = ''): [string, string][] {
  const { properties = {}, items, anyOf = [] } = schema ?? {};
  const before = path === '' ? '' : `${path}.`;
  return [
    ...Object.entries(properties).flatMap(([name, member]): [string, string][] => [
      [before + name, before],
      ...declaredIn(member, before + name),
    ]),
    ...(items === undefined ? [] : declaredIn(items, `${path}[]`)),
    ...anyOf.flatMap((each) => declaredIn(each, path)),
  ];
}

/** A row of the list opens a screen that loads this, and which shows what the row doesn't. */
const OPENED: Readonly<Record<string, string>> = {
  'GET /_kyclone/entities data[].': 'GET /_kyclone/entities/{fp_id} ',
  'GET /_kyclone/reviews data[].': 'GET /_kyclone/entities/{fp_id} ',
  'GET /_kyclone/requests data[].': 'GET /_kyclone/requests/{id} ',
  'GET /_kyclone/bank_links data[].': 'GET /bank_links/{link_id} ',
  'GET /_kyclone/entities/{fp_id} bank_links[].': 'GET /bank_links/{link_id} ',
};
/** Members that no screen shows. */
const WITHOUT: readonly (readonly [member: RegExp, reason: string])[] = [
  [/ (data\[\]\.)?(tenant|environment|is_live)$/, 'the window is of one tenant and environment'],
  [
    /^GET \/_kyclone\/requests data\[\]\.request\./,
    'the masked body as a whole is on the screen of the request',
  ],
  [
    /^GET \/_kyclone\/requests(\/{id} | data\[\]\.)proxy\.(tokens|withheld)$/,
    'the explanation of the call has them',
  ],
  [/^GET \/_kyclone\/requests\/{id} token_id$/, 'the caller is the key, where there is one'],
  [/^GET \/_kyclone\/webhooks data\[\]\.secret$/, 'only the response to its creation has it'],
  [/^GET \/_kyclone\/access-log data\[\]\.(prev_)?hash$/, 'they prove the log: kyclone audit verify'],
  [/^GET \/_kyclone\/clock (real_now|mode|offset_ms)$/, 'the screen has the text of them all'],
  [/ (hits)?\[\]\.(severity|found_at)$/, 'it is that of the signal, and of the run'],
  [/^GET \/_kyclone\/bank_links data\[\]\.persona$/, 'the screen of the link has it, from its accounts'],
  [/ accounts\[\]\.link_id$/, 'the screen is of one link'],
  [/ accounts\[\]\.raw_provider_data\.account$/, "a provider's own, as JSON"],
  [/ transactions\[\]\.(datetime|raw_description|enrichment)$/, 'the row has day, description and category'],
  [/ (page|size)$/, 'the inspector asked for it'],
  [/^GET \/_kyclone\/info (egress_policy|vocabulary)$/, 'the settings have it'],
  [/ entities_by_root_key_version$/, 'kyclone keyring status'],
  [/^GET \/_kyclone\/settings (support|vocabulary\.)/, 'names that the inspector uses'],
  [/^POST \/users\/{fp_id}\/compare with$/, 'the inspector asked for it'],
  [
    /^GET \/_kyclone\/reviews data\[\]\.(onboarding_id|playbook_key)$/,
    'the screen of the entity has its runs',
  ],
  [/^GET \/_kyclone\/reviews data\[\]\.signals\[\]\.reason_code$/, 'the row has its description'],
];

test('inspector: every member of what it loads is read by a screen, or there is a reason for none', async () => {
  await using world = await aFullWorld();
  const seen = new Map<string, Members>();
  const call: SourceClient['call'] = async (key, ...rest) => {
    const members = seen.get(key) ?? {
      answered: new Set<string>(),
      read: new Set<string>(),
      listed: new Set<string>(),
    };
    seen.set(key, members);
    return noting(await world.source.client.call(key, ...rest), members);
  };
  const client: SourceClient = { call, download: world.source.client.download.bind(world.source.client) };
  const source: Source = { ...world.source, client };
  for (const place of PLACES) await readScreen(source, world.places[place], { rows: 100 });
  const namesOf = (which: keyof Members) =>
    [...seen].flatMap(([key, members]) => [...members[which]].map((member) => `${key} ${member}`));
  for (const [key, { answered, listed }] of seen) {
    const { response } = endpoints.find((each) => each.key === key) ?? {};
    for (const [path, parent] of declaredIn(response as Schema | undefined))
      if (!listed.has(parent) && [...answered].some((each) => each.startsWith(parent))) answered.add(path);
  }
  const [answered, read] = [namesOf('answered'), new Set(namesOf('read'))];
  const opened = (name: string) =>
    Object.entries(OPENED).flatMap(([list, screen]) =>
      name.startsWith(list) ? [screen + name.slice(list.length)] : [],
    );
  const missing = answered.filter((name) => ![name, ...opened(name)].some((each) => read.has(each)));
  expect(
    missing.filter((name) => !WITHOUT.some(([member]) => member.test(name))),
    'show it in screen.ts of the noun, or add a reason to WITHOUT',
  ).toEqual([]);
  for (const [member] of WITHOUT)
    expect(
      missing.filter((name) => member.test(name)),
      String(member),
    ).not.toEqual([]);
});
