/** Recording: what it stores and what it leaves out, and that its fixture does the same on another instance. */
import { expect } from 'vitest';
import { RECORDED_CALLS_LIMIT } from '../../../src/nouns/recording/facts.ts';
import {
  fixtureText,
  toFixture,
  type RecordedCall,
} from '../../../src/nouns/recording/commands/to-fixture.ts';
import { createClient, type Client } from '../../../src/client/client.ts';
import { parseFixture, runFixture } from '../../../src/client/fixtures/index.ts';
import { frozenClock } from '../../support/frozen-clock.ts';
import { createRecorder } from '../../../src/nouns/recording/service.ts';
import { aReadyUser, aUser } from '../../support/builders.ts';
import {
  CONTROL_TOKEN,
  LIVE_KEY,
  SANDBOX_KEY,
  startService,
  type TestService,
} from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

async function recorded(service: TestService, session: () => Promise<unknown>) {
  await service.call('POST /_kyclone/recording');
  await session();
  return (await service.call('DELETE /_kyclone/recording')).body;
}

async function clientOf(service: TestService): Promise<Client> {
  const { host, port } = await service.listen();
  const connection = { baseUrl: `http://${host}:${port}`, controlToken: CONTROL_TOKEN };
  return createClient({ ...connection, apiKey: SANDBOX_KEY, liveApiKey: LIVE_KEY });
}

function fixtureOf(calls: readonly RecordedCall[], isMasked = false) {
  const { fixture, variables } = toFixture(calls, { name: 'recorded', isMasked });
  const text = fixtureText(fixture, 'yaml');
  return { text, variables, fixture: parseFixture(text, { name: 'recorded', format: 'yaml' }) };
}

/** Makes users, tokens, a vault, a run that is resolved manually, a hosted flow, another tenant, and a refusal. */
async function session(service: TestService): Promise<void> {
  const { call, send, token } = service;
  const id = await service.user(aReadyUser());
  const params = { fp_id: id };
  await call('PATCH /users/{fp_id}/vault', {
    params,
    body: { 'custom.note': 'costs ${5}', 'id.zip': '02139' },
  });
  const clientToken = await token(id, {
    scope: 'vault_and_decrypt',
    fields: ['id.first_name', 'custom.note'],
  });
  await call('POST /users/vault/decrypt', { as: clientToken, body: { reason: 'a test' } });
  await call('PATCH /users/vault', { as: clientToken, body: { 'id.first_name': 'Janet' } });
  await call('POST /users/{fp_id}/vault/decrypt', {
    params,
    body: { fields: ['id.last_name'], reason: 'a test' },
  });
  const playbook = await call('POST /_kyclone/playbooks', { body: { name: 'ours', kind: 'kyc' } });
  await call('POST /_kyclone/outcomes', {
    body: { outcome: 'manual_review', match: { playbook_key: playbook.body.key } },
  });
  const run = await call('POST /users/{fp_id}/kyc', { params, body: { key: playbook.body.key } });
  await send({ method: 'GET', path: `/onboardings/${run.body.onboarding_id}` });
  const flow = await call('POST /onboarding/session', {
    body: { key: playbook.body.key, fp_id: id, allow_reonboard: true },
  });
  const done = await call('POST /_kyclone/sessions/complete', { body: { token: flow.body.token } });
  await call('POST /onboarding/session/validate', { body: { validation_token: done.body.validation_token } });
  const key = await service.key({ tenant: 'acme' });
  const theirs = await service.user({}, key);
  await send({ method: 'GET', path: `/users/${theirs}` });
  await send({ method: 'GET', path: `/users/${theirs}`, as: key });
  await call('POST /users', { as: LIVE_KEY });
  await send({ method: 'POST', path: '/users', body: { 'id.ssn9': 'nine' } });
  await send({ method: 'GET', path: '/users/client_token', as: null });
  await send({ method: 'GET', path: `/users?page_size=1` });
  await call('DELETE /users/{fp_id}', { params });
}

test('record: a session replayed on a fresh instance passes', async () => {
  await using first = await startService({ seed: 'first' });
  const { recorded: calls, left_out } = await recorded(first, () => session(first));
  expect(left_out).toBe(0);
  const { fixture, text, variables } = fixtureOf(calls);
  expect(variables).toEqual([]);
  expect(text).toContain('call: POST /users/${user_1.id}/client_token');
  expect(text).toContain('as: token ${token_1.token}');
  expect(text).toContain('key: ${key_1.key}');
  expect(text).toContain('custom.note: costs $${5}');
  await using second = await startService({ seed: 'second' });
  const run = await runFixture(fixture, { client: await clientOf(second) });
  expect(run.steps.map(({ status }) => status)).toEqual(calls.map(({ status }) => status));
});

test('record: with masks no value is in the fixture, and it passes with the values given', async () => {
  await using first = await startService({ seed: 'first' });
  const { recorded: calls } = await recorded(first, () => session(first));
  const { fixture, text, variables } = fixtureOf(calls, true);
  for (const value of Object.values(aReadyUser())) expect(text).not.toContain(`: ${String(value)}\n`);
  expect(text).not.toContain('Janet');
  expect(variables).toContain('USER_1_ID_SSN9');
  const sent = aReadyUser() as Record<string, string>;
  const set = Object.fromEntries(variables.map((name) => [name, 'Someone']));
  for (const [identifier, value] of Object.entries(sent)) {
    const name = `USER_1_${identifier.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    if (variables.includes(name)) set[name] = value;
  }
  const zip = variables.find((name) => /UPDATE_VAULT_1_ID_ZIP/.test(name));
  if (zip !== undefined) set[zip] = '02139';
  const bad = variables.find((name) => /USER_\d_ID_SSN9$/.test(name) && name !== 'USER_1_ID_SSN9');
  if (bad !== undefined) set[bad] = 'nine';
  await using second = await startService({ seed: 'second' });
  const run = await runFixture(fixture, { client: await clientOf(second), set });
  expect(run.steps).toHaveLength(calls.length);
});

test('record: credentials, secrets of the control plane, reads of it, and files are not kept', async (service) => {
  const secrets: string[] = [];
  const { recorded: calls, left_out } = await recorded(service, async () => {
    secrets.push(await service.key({ tenant: 'acme' }));
    const webhook = await service.call('POST /_kyclone/webhooks', {
      body: { url: 'http://127.0.0.1:9/hook' },
    });
    secrets.push(webhook.body.secret ?? 'none');
    await service.call('GET /_kyclone/info');
    await service.send({ method: 'GET', path: '/_kyclone/health' });
    const id = await service.user();
    await service.upload(id, 'document.passport.front.image', Buffer.from('89504e470d0a1a0a', 'hex'));
    await service.send({ method: 'GET', path: '/no/such/path' });
    await service.call('GET /_kyclone/recording');
  });
  expect(calls.map(({ path }) => path)).toEqual(['/_kyclone/api-keys', '/_kyclone/webhooks', '/users']);
  expect(left_out).toBe(1);
  const text = JSON.stringify(calls);
  for (const secret of [...secrets, SANDBOX_KEY, LIVE_KEY, CONTROL_TOKEN]) expect(text).not.toContain(secret);
  expect(calls[2]).toMatchObject({ caller: 'key', tenant: 'default', body: aUser(), status: 200 });
});

test('record: calls beyond 1,000 or the byte limit are counted, not kept; once returned, the recording is deleted', () => {
  const call: RecordedCall = {
    method: 'GET',
    path: '/users',
    headers: {},
    caller: 'key',
    tenant: 'default',
    status: 200,
    response: 'x'.repeat(100),
  };
  const { handlers: many, add } = createRecorder(frozenClock(0));
  many['POST /_kyclone/recording']();
  for (let n = 0; n < RECORDED_CALLS_LIMIT + 3; n++) add(call);
  const { body } = many['DELETE /_kyclone/recording']();
  expect(body).toMatchObject({ calls: RECORDED_CALLS_LIMIT, left_out: 3 });
  expect(body.recorded[0]).toEqual(call);
  const after = { is_recording: false, calls: 0, left_out: 0 };
  expect(many['GET /_kyclone/recording']().body).toMatchObject(after);
  const heavy = createRecorder(frozenClock(0), 500);
  heavy.handlers['POST /_kyclone/recording']();
  for (let n = 0; n < 5; n++) heavy.add(call);
  const kept = heavy.handlers['GET /_kyclone/recording']().body;
  expect(kept).toMatchObject({ calls: 2, left_out: 3 });
});

test('record: an id from before the recording has to be given', async (service) => {
  const id = await service.user();
  const { recorded: calls } = await recorded(service, () =>
    service.call('GET /users/{fp_id}', { params: { fp_id: id } }),
  );
  const { fixture, variables } = fixtureOf(calls);
  expect(variables).toEqual(['FP_ID']);
  expect(fixture.steps[0]?.path).toBe('/users/${set.FP_ID}');
});

test('record: a bank link uses the value of the response that held it', async (service) => {
  const { recorded: calls } = await recorded(service, async () => {
    const id = await service.user(aReadyUser());
    const { body: intent } = await service.call('POST /_kyclone/bank_link_intents', {
      body: { fp_id: id, persona: 'default' },
    });
    await service.call('POST /bank_links', { body: { intent_token: intent.intent_token } });
  });
  const { fixture, text } = fixtureOf(calls);
  expect(text).not.toContain('blit_');
  await using fresh = await startService();
  const run = await runFixture(fixture, { client: await clientOf(fresh) });
  expect(run.steps.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('record: what stood in the query of a URL is not kept, but for tenant, environment and a dry run', async (service) => {
  const IMPORT = '/bank_links/link_x/import/transactions?dry_run=true';
  const { recorded: calls, left_out } = await recorded(service, async () => {
    await service.send({ method: 'GET', path: '/users?external_id=jane-doe-1985&note=121-21-2121' });
    await service.send({ method: 'POST', path: '/users?name=Jane', body: {} });
    await service.send({ method: 'GET', path: '/users?page_size=Jane' });
    for (const query of ['environment=live&note=Jane', 'environment=live']) {
      const body = { match: { sandbox_id: 'x' }, outcome: 'fail' };
      await service.send({ method: 'POST', path: `/_kyclone/outcomes?${query}`, body });
    }
    await service.send({ method: 'POST', path: IMPORT, body: { transactions: [{}] } });
  });

  expect([calls.map(({ path }) => path), left_out]).toEqual([
    ['/users', '/users', '/_kyclone/outcomes?environment=live', IMPORT],
    2,
  ]);
  expect(JSON.stringify(calls)).not.toMatch(/jane-doe|Jane|121-21/);
});
