/** Every member that an endpoint takes is an argument or a flag of its command, or there is a reason for none. */
import { expect, test } from 'vitest';
import { entityEndpoint, type EntityKey } from '../../src/client/entity-endpoint.ts';
import { endpoints } from '../../src/contract/registry.ts';
import commands from '../../src/devtools/every-command.ts';

interface Derived {
  readonly endpoint?: string;
  readonly args?: object;
  readonly flags?: object;
}

/** Members with another name on the command line: by the command or its topic, the flag or argument that gives them. */
const ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { environment: 'live', kinds: 'kind', onboarding_id: 'onboarding', enabled: 'disabled' },
  'bank:links': { fp_id: 'id' },
  'webhooks:deliveries': { q: 'search' },
  'decisions:create': { reviewer_email: 'reviewer' },
  'users:compare': { with: 'other' },
  'users:verify': { values: 'also' },
  'users:request-info': { fields: 'field' },
  'businesses:compare': { with: 'other' },
  'businesses:verify': { values: 'also' },
  'users:token': { scopes: 'scope', decrypt_reason: 'reason' },
  'businesses:token': { scopes: 'scope', decrypt_reason: 'reason' },
  faults: { match: 'path', latency_ms: 'latency' },
  keys: { scopes: 'scope', permissions: 'permission', enabled: 'enable' },
  'onboardings:complete': { business_data: 'fields', fixture_result: 'result' },
  'onboardings:sessions': { fp_id: 'entity' },
  'onboardings:validate': { validation_token: 'token' },
  outcomes: { match: 'where', delay_ms: 'delay', signals: 'add-signal' },
  'outcomes:update': { enabled: 'enable' },
  playbooks: {
    requirements: 'require',
    has_rules: 'rules',
    delay_ms: 'delay',
    session_delay_ms: 'session-delay',
    owners_playbook_key: 'owners-playbook',
    documents: 'document',
  },
  'proxy:configs': {
    url: 'target',
    access_reason: 'reason',
    headers: 'header',
    secret_headers: 'secret-header',
    pins: 'pin-cert',
    client_identity: 'client-cert',
  },
  'proxy:configs:update': { enabled: 'enable' },
  'vault:integrity': { fields: 'identifiers' },
  webhooks: { kinds: 'events', webhook_id: 'webhook', event_id: 'event' },
  'webhooks:update': { enabled: 'enable' },
  'webhooks:resend': { webhook_id: 'to' },
};

/** Members that a command doesn't give. */
const WITHOUT: Readonly<Record<string, string>> = {
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

/** The flag or argument of a member, by the most particular entry. */
function elsewhere(id: string, member: string): string | undefined {
  const words = id.split(':');
  for (let length = words.length; length >= 0; length -= 1) {
    const found = ELSEWHERE[words.slice(0, length).join(':')]?.[member];
    if (found !== undefined) return found;
  }
  return undefined;
}

const derived = Object.entries(commands as unknown as Record<string, Derived>).flatMap(([id, command]) => {
  const { endpoint } = command;
  if (endpoint === undefined) return [];
  const isBusiness = id.startsWith('businesses:');
  const key = endpoint.includes(' /{entity}')
    ? entityEndpoint(endpoint as EntityKey, isBusiness ? 'fp_bid_x' : 'fp_id_x').key
    : endpoint;
  const { body, query } = endpoints.find((each) => each.key === key) ?? {};
  const membersOf = (schema: unknown) =>
    Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  const given = new Set([...Object.keys(command.flags ?? {}), ...Object.keys(command.args ?? {})]);
  return [{ id, key, given, members: [...membersOf(body), ...membersOf(query)] }];
});

test('commands: every member of an endpoint has an argument or a flag, or a reason for none', () => {
  expect(derived.length).toBeGreaterThan(80);
  const missing = derived.flatMap(({ id, given, members }) =>
    members
      .filter((member) => !given.has(member) && !given.has(member.replaceAll('_', '-')))
      .filter((member) => !given.has(elsewhere(id, member) ?? ''))
      .map((member) => `${id} ${member}`)
      .filter((each) => WITHOUT[each] === undefined),
  );
  expect(missing).toEqual([]);
});

test('commands: each name elsewhere and each reason for none is needed', () => {
  const members = derived.flatMap(({ id, members: own }) => own.map((member) => `${id} ${member}`));
  for (const each of Object.keys(WITHOUT)) expect(members).toContain(each);
  for (const [topic, names] of Object.entries(ELSEWHERE)) {
    for (const [member, name] of Object.entries(names)) {
      const used = derived.some(
        ({ id, given, members: own }) =>
          `${id}:`.startsWith(topic === '' ? '' : `${topic}:`) && own.includes(member) && given.has(name),
      );
      expect(used, `${topic} ${member}: ${name}`).toBe(true);
    }
  }
});
