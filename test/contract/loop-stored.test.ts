/** What can be made or changed is returned as it was sent, also when it is read again: members of every type. */
import { Value } from '@sinclair/typebox/value';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { shareStage } from '../support/shared-stage.ts';
import '../support/tier-all.ts';

const shared = shareStage();
const keys = new Set<string>(endpoints.map(({ key }) => key));

/** Values of lists and objects, and those that a rule beside the schema allows, by member. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  url: ['https://example.com/hook'],
  kinds: [['onboarding.completed']],
  requirements: [[['id.email']]],
  documents: [['passport']],
  signals: [{ add: ['name_does_not_match'] }],
  match: [{ external_id: 'customer-*' }, { path: '/users/*' }],
  headers: [{ 'x-plan': 'basic' }],
  ingress: [{ content_type: 'json', rules: [{ token: 'custom.score', target: '$.score' }] }],
  scopes: [['preview:decisions_list']],
  permissions: [['onboard']],
  code: ['vault_damaged'],
};
/** What is returned otherwise, or must exist: its tests stand in test/nouns. */
const APART = new Set(['key', 'owners_playbook_key', 'secret', 'secret_headers', 'pins', 'client_identity']);

const membersOf = (schema: TSchema | undefined) =>
  Object.entries((schema?.['properties'] ?? {}) as Record<string, TSchema>);

/** Some values of the schema. */
function valuesOf(name: string, member: TSchema): unknown[] {
  const schemas = [member, ...((member['anyOf'] ?? []) as TSchema[])];
  const bounds = schemas.flatMap(({ enum: words = [], minimum }) => [
    ...(words as unknown[]).slice(-2),
    Number(minimum) + 1,
  ]);
  const all = [...(VALUES[name] ?? []), ...bounds, true, false, 7, 0.5, 'customer-4711'];
  return all.filter((value) => value !== undefined && Value.Check(member, value));
}

const cases = endpoints.flatMap(({ key, body, response }) => {
  const returned = new Set(membersOf(response).map(([name]) => name));
  return /^(?:POST|PATCH) \/_kyclone\/(?:api-keys|faults|outcomes|playbooks|proxies|webhooks)(?:\/\{\w+\})?$/.test(
    key,
  )
    ? membersOf(body).flatMap(([name, member]) => {
        const isCase = returned.has(name) && !APART.has(name);
        return isCase ? [[key, name, valuesOf(name, member)] as const] : [];
      })
    : [];
});

test('the loop has the members of many endpoints', () => expect(cases.length).toBeGreaterThan(50));

test.each(cases)('%s: %s is stored and returned', async (key, name, values) => {
  const reading = key.startsWith('PATCH ') && keys.has(key.replace('PATCH ', 'GET '));
  let taken = 0;
  for (const value of values) {
    const { service, sample } = await shared.freshSample(key);
    const { body, ...rest } = sample;
    const answer = await service.send({ ...rest, body: { ...(body as object), [name]: value } });
    // Another value may go together with the others of the sample.
    if (answer.status !== 200) continue;
    taken += 1;
    expect(answer.body).toMatchObject({ [name]: value });
    if (reading)
      expect((await service.send({ ...rest, method: 'GET' })).body).toMatchObject({ [name]: value });
  }
  expect(taken, 'add a value to VALUES').toBeGreaterThan(0);
});
