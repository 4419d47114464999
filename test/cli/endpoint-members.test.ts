/** Every member that an endpoint takes is an argument or a flag of its command, or there is a reason for none. */
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { ApiError } from '../../src/client/errors.ts';
import { inFlagWords, givenAs, MEMBER_NAMES } from '../../src/cli/shell/usage.ts';
import { derivedCommands, everyCommand } from '../support/derived-commands.ts';

const ofMoves = ['advance', 'freeze', 'offset', 'resume', 'set'].flatMap((verb) =>
  ['action', 'at', 'by'].map((member) => [`clock:${verb} ${member}`, 'the verb is the action']),
);

/** Members that a command doesn't give. */
const WITHOUT: Readonly<Record<string, string>> = {
  ...(Object.fromEntries(ofMoves) as Record<string, string>),
  'audit:list tenant': 'the log of all tenants is one chain',
  'audit:list environment': 'the log of both environments is one chain',
  'audit:list external_id': '`--entity` takes an external id, too',
  'users:kyc force_reonboard': 'an alias of allow_reonboard, which `--no-reonboard` gives',
  'businesses:kyb force_reonboard': 'an alias of allow_reonboard, which `--no-reonboard` gives',
  'businesses:kyb generate_link_on_stepup': 'a business has no documents to ask for',
  'users:device label': '`users label` sets it',
  'businesses:device label': '`businesses label` sets it',
  'users:device reason': 'it is the reason of a label',
  'businesses:device reason': 'it is the reason of a label',
  'users:token fields': 'the words after the id are the identifiers',
  'businesses:token fields': 'the words after the id are the identifiers',
  'keys:create key': 'a key among the arguments would be seen by others; `start --api-key-file` takes one',
  'webhooks:deliveries external_id': '`--fp-id` takes an external id, too',
  'webhooks:events event_id': '`webhooks events` shows the newest; the page of one is `api GET`',
};

const membersOf = (schema: unknown) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

const nullableOf = (schema: unknown) => {
  const { properties = {} } = (schema ?? {}) as {
    properties?: Readonly<Record<string, { anyOf?: { type?: string }[] }>>;
  };
  return Object.entries(properties).flatMap(([name, { anyOf = [] }]) =>
    anyOf.some(({ type }) => type === 'null') ? [name] : [],
  );
};

const derived = derivedCommands.map(({ endpoint, args, flags, ...own }) => ({
  ...own,
  flags,
  given: new Set([...Object.keys(flags), ...Object.keys(args)]),
  members: [...membersOf(endpoint?.body), ...membersOf(endpoint?.query)],
}));

test('commands: every member of an endpoint has an argument or a flag, or a reason for none', () => {
  expect(derived.length).toBeGreaterThan(80);
  const missing = derived.flatMap(({ id, given, members }) =>
    members
      .filter((member) => !given.has(member) && !given.has(member.replaceAll('_', '-')))
      .filter((member) => !given.has(givenAs(id, member)))
      .map((member) => `${id} ${member}`)
      .filter((each) => WITHOUT[each] === undefined),
  );
  expect(missing, 'add the flag in commands.ts of the noun, or a reason to WITHOUT').toEqual([]);
});

/** What sets a member to null, where that is neither `--no-NAME` nor a value of `--clear`. */
const REMOVED_BY: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['users', 'businesses'].flatMap((topic) =>
      ['device_id', 'cookie_id', 'ip_address'].map((member) => [
        `${topic}:device ${member}`,
        'the word none',
      ]),
    ),
  ),
  'outcomes:update times': '--any-times',
};

test('commands: what PATCH can set to null, a flag can', () => {
  const lasting = derived.flatMap(({ id, key, given, flags }) =>
    nullableOf(key.startsWith('PATCH') ? endpoints.find((each) => each.key === key)?.body : undefined)
      .filter((member) => WITHOUT[`${id} ${member}`] === undefined)
      .filter((member) => !given.has(`no-${givenAs(id, member)}`))
      .filter((member) => flags['clear']?.options?.includes(givenAs(id, member)) !== true)
      .map((member) => `${id} ${member}`)
      .filter((each) => REMOVED_BY[each] === undefined),
  );
  expect(lasting, 'add --no-NAME in commands.ts of the noun, or another way to REMOVED_BY').toEqual([]);
});

const everyMember = new Set(
  endpoints.flatMap(({ body, query }) => [...membersOf(body), ...membersOf(query)]),
);

test('commands: each name elsewhere and each reason for none is needed', () => {
  const members = derived.flatMap(({ id, members: own }) => own.map((member) => `${id} ${member}`));
  for (const each of Object.keys(WITHOUT)) expect(members).toContain(each);
  for (const [topic, names] of Object.entries(MEMBER_NAMES)) {
    const within = (id: string) => `${id}:`.startsWith(topic === '' ? '' : `${topic}:`);
    const own = derived.filter(({ id }) => within(id));
    for (const [member, name] of Object.entries(names)) {
      const [whole = ''] = member.split('.');
      const isDerived = own.some(({ given, members: all }) => all.includes(whole) && given.has(name));
      // Commands by hand name no endpoint.
      const byHand = everyCommand.some(
        ([id, { endpoint, flags }]) =>
          endpoint === undefined && within(id) && everyMember.has(whole) && name in (flags ?? {}),
      );
      expect(isDerived || byHand, `${topic} ${member}: ${name}`).toBe(true);
    }
  }
});

test('commands: an error about a member is about the flag that gives it, if it was typed', () => {
  const checked = derived.flatMap(({ id, flags, members }) =>
    members.flatMap((member) => {
      const name = givenAs(id, member);
      if (!Object.hasOwn(flags, name)) return [];
      const error = new ApiError({
        code: 'invalid_request',
        status: 400,
        message: `${member}[0] must be something else`,
        context: undefined,
        requestId: undefined,
        endpoint: undefined,
      });
      const shown = inFlagWords(error, { command: id, argv: [`--${name}`, 'x'], declared: flags });
      return [[id, member, (shown as ApiError).message, `--${name} must be something else`] as const];
    }),
  );
  expect(checked.length).toBeGreaterThan(100);
  for (const [id, member, shown, expected] of checked) expect(shown, `${id} ${member}`).toBe(expected);
});
