/** Sessions, intents, links and results of verifications that somebody edits in the database. */
import { expect } from 'vitest';
import { bankOf } from '../../support/bank-links.ts';
import { aReadyUser, KYC } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { type Refused, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const LATER = 4_000_000_000_000;

async function aWorld(service: TestService) {
  const bank = bankOf(service);
  const user = await service.user(aReadyUser());
  const other = await service.user(aReadyUser());
  const ran = await onboardingOf(service, user).run({ fixture_result: 'fail' });
  await onboardingOf(service, other).run({ fixture_result: 'pass' });
  const begun = (await service.call('POST /onboarding/session', { body: { key: KYC } })).body;
  const done = await service.call('POST /onboarding/session', { body: { key: KYC } });
  const completed = await service.call('POST /_kyclone/sessions/complete', {
    body: { token: done.body.token, data: aReadyUser() },
  });
  const link = await bank.link(user, { persona: 'empty' });
  const { intent_token } = await bank.intent(user, { persona: 'empty' });
  await service.key({ name: 'other', tenant: 'other' });
  return {
    service,
    user,
    other,
    link: link.id,
    onboarding: ran.onboarding_id,
    intent_token,
    session: begun.token,
    validation: completed.body.validation_token,
  };
}
type World = Awaited<ReturnType<typeof aWorld>>;
type Read = (world: World) => Promise<Refused>;

const complete: Read = ({ service, session }) =>
  service.refused('POST /_kyclone/sessions/complete', { body: { token: session, data: aReadyUser() } });
const listSessions: Read = ({ service }) => service.refused('GET /_kyclone/sessions', {});
const validate: Read = ({ service, validation }) =>
  service.refused('POST /onboarding/session/validate', { body: { validation_token: validation } });
const connect: Read = ({ service, intent_token }) =>
  service.refused('POST /bank_links', { body: { intent_token } });
const readLink: Read = ({ service, link }) =>
  service.refused('GET /bank_links/{link_id}', { params: { link_id: link } });
const readLinks: Read = ({ service }) => service.refused('GET /bank_links', {});
const readOnboarding: Read = ({ service, onboarding }) =>
  service.refused('GET /onboardings/{id}', { params: { id: onboarding } });
const listOnboardings: Read = ({ service, user }) =>
  service.refused('GET /users/{fp_id}/onboardings', { params: { fp_id: user } });
const listDecisions: Read = ({ service, user }) =>
  service.refused('GET /users/{fp_id}/decisions', { params: { fp_id: user } });
const readUser: Read = ({ service, user }) =>
  service.refused('GET /users/{fp_id}', { params: { fp_id: user } });
const listUsers: Read = ({ service }) => service.refused('GET /users', {});

const OTHER_SPACE = "(SELECT id FROM spaces WHERE tenant = 'other')";
const idOf = (fpId: string) => `(SELECT id FROM entities WHERE fp_id = '${fpId}')`;
const ofUser = ({ user }: World) => `entity = ${idOf(user)}`;

interface Edits {
  readonly table: string;
  readonly read: readonly Read[];
  readonly where: (world: World) => string;
  readonly values: Readonly<Record<string, string | ((world: World) => string)>>;
}

const EDITS: readonly Edits[] = [
  {
    table: 'onboarding_sessions',
    read: [complete],
    where: () => 'completed_at IS NULL',
    values: {
      space: OTHER_SPACE,
      created_at: '1',
      expires_at: String(LATER),
      has_expired: '1',
      completed_at: '1',
      canceled_at: '1',
      session_id: "'ses_another'",
      playbook_key: "'pb_test_another'",
      fp_id: ({ other }) => `'${other}'`,
      fp_bid: "'fp_bid_another'",
      seal: 'NULL',
    },
  },
  {
    table: 'onboarding_sessions',
    read: [listSessions],
    where: () => 'completed_at IS NULL',
    values: {
      expires_at: String(LATER),
      canceled_at: '1',
      session_id: "'ses_another'",
      playbook_key: "'pb_test_another'",
      fp_id: ({ other }) => `'${other}'`,
      seal: 'NULL',
    },
  },
  {
    table: 'onboarding_sessions',
    read: [validate],
    where: () => 'completed_at IS NOT NULL',
    values: {
      space: OTHER_SPACE,
      digest: 'zeroblob(32)',
      validation_expires_at: String(LATER),
      outcome: ({ user, onboarding }) =>
        `'{"auth":{"kind":"sms","at":1},"fp_id":"${user}","user":"${onboarding}"}'`,
      seal: 'zeroblob(32)',
    },
  },
  {
    table: 'bank_link_intents',
    read: [connect],
    where: () => 'used_at IS NULL',
    values: {
      entity: ({ other }) => idOf(other),
      link: '(SELECT seq FROM bank_links)',
      persona: "'steady'",
      institution: "'another'",
      created_at: '1',
      expires_at: String(LATER),
      has_expired: '1',
      used_at: '1',
      seal: 'NULL',
    },
  },
  {
    table: 'bank_links',
    read: [readLink, readLinks],
    where: () => '1 = 1',
    values: { entity: ({ other }) => idOf(other), created_at: '1', seal: 'NULL' },
  },
  {
    table: 'onboardings',
    read: [readOnboarding, listOnboardings],
    where: ofUser,
    values: {
      fp_id: ({ other }) => `'${other}'`,
      playbook_key: "'pb_test_another'",
      playbook_kind: "'document'",
      playbook_version: '7',
      status: "'pass'",
      requires_manual_review: '1',
      next_outcome: "'pass'",
      is_owner_run: '1',
      due_at: '1',
      created_at: '1',
      changed_at: '1',
      completed_at: '1',
      seal: 'zeroblob(32)',
    },
  },
  {
    table: 'decisions',
    read: [listDecisions],
    where: ofUser,
    values: {
      seq: '99',
      kind: "'manual'",
      status: "'pass'",
      playbook_key: "'pb_test_another'",
      created_at: '1',
      seal: 'NULL',
    },
  },
  {
    table: 'entities',
    read: [readUser, listUsers],
    where: ({ user }) => `fp_id = '${user}'`,
    values: { status: "'pass'", requires_manual_review: '1' },
  },
];

function expectDamaged({ code, message }: Refused, table: string, row = '\\w+'): void {
  expect(code).toBe('vault_damaged');
  expect(message).toMatch(new RegExp(`row ${row} of table ${table}`));
}

const columns = EDITS.flatMap(({ table, read, where, values }) =>
  Object.entries(values).map(([column, value]) => ({ table, column, read, where, value })),
);

test.eachWith(columns)(
  'an edited database is refused by name: $column of $table changed',
  async (service, { table, column, read, where, value }) => {
    const world = await aWorld(service);
    const text = typeof value === 'string' ? value : value(world);
    const sql = `UPDATE ${table} SET ${column} = ${text} WHERE ${where(world)}`;
    expect(service.database.prepare(sql).run().changes).toBe(1);

    for (const each of read) expectDamaged(await each(world), table);
  },
);

test('an edited database is refused by name: the tenant of a session and an onboarding lost', async (service) => {
  const world = await aWorld(service);
  service.database.exec("PRAGMA foreign_keys = OFF; DELETE FROM spaces WHERE tenant = 'default'");

  expect((await complete(world)).code).toBe('vault_damaged');
  expect((await readOnboarding(world)).code).toBe('vault_damaged');
});

test('an edited database is refused by name: a link given to another tenant', async (service) => {
  const { link } = await aWorld(service);
  const as = await service.key({ tenant: 'other' });
  service.database.exec(`UPDATE bank_links SET space = ${OTHER_SPACE}`);

  const refused = await service.refused('GET /bank_links/{link_id}', { params: { link_id: link }, as });

  expectDamaged(refused, 'bank_links', link);
});

test('an edited database is refused by name: an onboarding or a decision given to another entity', async (service) => {
  const { user, other } = await aWorld(service);
  for (const table of ['onboardings', 'decisions']) {
    service.database.exec(`UPDATE ${table} SET entity = ${idOf(user)} WHERE entity = ${idOf(other)}`);
    const path = `GET /users/{fp_id}/${table}` as 'GET /users/{fp_id}/decisions';
    const refused = await service.refused(path, { params: { fp_id: user } });
    expectDamaged(refused, table);
  }
});

test('what is stored as usual passes: time that went back, a deleted user, decisions by hand, a load', async (service) => {
  const world = await aWorld(service);
  const { user, other, onboarding, link } = world;
  const { decide, decisions, list } = onboardingOf(service, user);
  await decide({ status: 'pass' });
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '3h' } });
  await service.call('PUT /_kyclone/clock', { body: { action: 'set', at: '2026-03-01T12:00:00Z' } });
  expect((await validate(world)).message).toContain('has expired');
  expect((await complete(world)).message).toContain('has expired');
  expect((await connect(world)).code).toBe('intent_invalid');
  await service.call('DELETE /users/{fp_id}', { params: { fp_id: other } });
  await service.call('PUT /_kyclone/snapshots/{name}', { params: { name: 'sound' } });
  await service.call('POST /_kyclone/snapshots/{name}/load', { params: { name: 'sound' } });

  expect((await service.call('GET /users/{fp_id}', { params: { fp_id: user } })).body.status).toBe('pass');
  expect((await service.call('GET /onboardings/{id}', { params: { id: onboarding } })).body.status).toBe(
    'fail',
  );
  expect((await decisions()).data).toHaveLength(2);
  expect((await list()).data).toHaveLength(1);
  expect((await service.call('GET /bank_links/{link_id}', { params: { link_id: link } })).body.id).toBe(link);
});
