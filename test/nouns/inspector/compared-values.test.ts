/**
 * Answers that show whether a stored value equals another one are in the access log, with the names of the identifiers
 * (docs/security.md).
 */
import { expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYC } from '../../support/builders.ts';
import { aFlow, aFlowOn, agree, verify } from '../../support/hosted-samples.ts';
import { aRule } from '../../support/runs.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

/** Entries that are not decryptions of the test itself, oldest first. */
const entriesOf = async (service: TestService) =>
  (await service.call('GET /_kyclone/access-log')).body.data.toReversed();
const keyIdOf = async (service: TestService) => {
  const { data } = (await service.call('GET /_kyclone/api-keys')).body;
  return data.find(({ environment }) => environment === 'sandbox')?.id;
};

test('duplicates: the access log has the identifiers that were compared, for the kinds that were asked for', async (service) => {
  const [params, actor] = [{ fp_id: await service.user() }, { kind: 'api_key', id: await keyIdOf(service) }];

  await service.call('GET /users/{fp_id}/duplicates', { params });
  await service.call('GET /users/{fp_id}/duplicates', { params, query: { kinds: 'ssn9,dob_ssn4' } });

  const [all, some] = await entriesOf(service);
  expect(all).toMatchObject({ operation: 'compare', ...params, actor, outcome: 'granted' });
  expect(all?.identifiers).toEqual(
    expect.arrayContaining(['id.dob', 'id.email', 'id.first_name', 'id.ssn9']),
  );
  expect(some).toMatchObject({ operation: 'compare', identifiers: ['id.dob', 'id.ssn4', 'id.ssn9'] });
});

test('duplicates: names the fields of each card and bank account that is compared', async (service) => {
  const fp_id = await service.user({
    'card.primary.number': '4242424242424242',
    'card.primary.cvc': '123',
    'bank.main.ach_routing_number': '021000021',
    'bank.main.ach_account_number': '12345678',
  });

  await service.call('GET /users/{fp_id}/duplicates', { params: { fp_id } });

  expect((await entriesOf(service))[0]?.identifiers).toEqual([
    'bank.main.ach_account_number',
    'bank.main.ach_routing_number',
    'card.primary.cvc',
    'card.primary.number',
  ]);
});

test('GET /_kyclone/entities: a q that may be a value is a search of the control token, an id is none', async (service) => {
  const user = await service.user();

  await service.call('GET /_kyclone/entities', { query: { q: user } });
  await service.call('GET /_kyclone/entities');
  expect(await entriesOf(service)).toEqual([]);
  await service.call('GET /_kyclone/entities', { query: { q: 'nobody@doe.example' } });

  const [entry, ...others] = await entriesOf(service);
  expect(entry).toMatchObject({ operation: 'search', fp_id: null, actor: { kind: 'control_token' } });
  expect(entry?.identifiers).toContain('id.email');
  expect(JSON.stringify(entry)).not.toContain('nobody@');
  expect(others).toEqual([]);
});

test('a hosted flow: the look-up of its person is a search by the key of its link, found or not', async (service) => {
  await service.user(aReadyUser({ 'id.email': 'mina@hosted.example' }));
  const actor = { kind: 'api_key', id: await keyIdOf(service) };

  for (const email of ['mina@hosted.example', 'nobody@hosted.example']) {
    await verify(service, await aFlow(service), email);
  }

  const entry = { operation: 'search', identifiers: ['id.email'], actor, outcome: 'granted', fp_id: null };
  expect(await entriesOf(service)).toMatchObject([entry, entry]);
});

test('a hosted flow: the look-up of somebody whose result stands is in the access log', async (service) => {
  const email = 'mina@hosted.example';
  const fp_id = await service.user(aReadyUser({ 'id.email': email }));
  await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC } });
  const as = await aFlow(service);
  await service.call('POST /hosted/session/identify', { as, body: { data: { 'id.email': email } } });

  const { body } = await service.call('POST /hosted/session/verify', { as, body: { code: '000000' } });

  expect(body.steps).toEqual(['identify']);
  expect(await entriesOf(service)).toMatchObject([{ operation: 'search', identifiers: ['id.email'] }]);
});

test('a hosted flow: each look-up of an owner is in the access log', async (service) => {
  const playbook = { kind: 'kyb' as const, requirements: [['business.name']], collects_owners: true };
  const as = await verify(service, await aFlowOn(service, playbook));
  const data = { 'business.name': aReadyBusiness()['business.name'] };
  await service.call('POST /hosted/session/data', { as, body: { screen: 'business', data } });
  const owner = { first_name: 'Ann', last_name: 'Doe', phone_number: '+14155550123', ownership_stake: 10 };
  await service.call('POST /hosted/session/owners', { as, body: { primary_stake: 90, others: [owner] } });
  await agree(service, as);
  await service.call('POST /hosted/session/complete', { as, body: {} });

  expect((await entriesOf(service)).map(({ operation, identifiers }) => [operation, identifiers])).toEqual([
    ['search', ['id.email']],
    ['search', ['id.phone_number']],
  ]);
});

test('a run: an outcome rule that compares a value is in the access log, another one is not', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const run = () =>
    service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body: { key: KYC, allow_reonboard: true } });

  await run();
  expect(await entriesOf(service)).toEqual([]);
  const rule = await aRule(service, {
    match: { identifier: { name: 'id.ssn9', equals: '999999999' } },
    outcome: 'fail',
  });
  const { requestId } = await run();
  await service.call('DELETE /_kyclone/outcomes/{id}', { params: { id: rule } });
  await run();

  expect(await entriesOf(service)).toMatchObject([
    { operation: 'compare', fp_id, identifiers: ['id.ssn9'], request_id: requestId },
  ]);
});
