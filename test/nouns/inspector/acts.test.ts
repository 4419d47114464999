/** Actions in the access log: who, why and with what effect, and claims of cases (contract §11). */
import { expect } from 'vitest';
import { aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { MINUTE_MS } from '../../../src/kernel/numbers/units.ts';
import { NOON, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

async function as(service: TestService, operator: string, method: string, path: string, body?: object) {
  return await service.send({
    method,
    path,
    headers: { 'x-kyclone-operator': operator },
    ...(body !== undefined && { body }),
  });
}

async function actsOf(service: TestService, fp_id: string) {
  return (await service.call('GET /_kyclone/access-log', { query: { fp_id } })).body.data
    .filter(({ effect }) => effect !== null)
    .map(({ operation, operator, effect, reason }) => [operation, operator, effect, reason]);
}

test('access log: a label, a tag and a chosen run have operator, effect and reason; what changes nothing has no entry', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const user = `/users/${fp_id}`;
  const reason = 'a stolen card: Quillonda';
  await as(service, 'Ada', 'POST', `${user}/label`, { kind: 'offboard_fraud', reason });
  await as(service, 'Bo', 'POST', `${user}/label`, { kind: 'offboard_fraud' });
  const tag = await as(service, 'Ada', 'POST', `${user}/tags`, { tag: 'vip' });
  const { id } = tag.body as { id: string };
  await as(service, 'Bo', 'DELETE', `${user}/tags/${id}`, { reason: 'no longer' });
  await onboardingOf(service, fp_id).run({ fixture_result: 'fail' });

  expect(await actsOf(service, fp_id)).toEqual([
    ['run', null, expect.stringMatching(/ -> fail$/), null],
    ['tag', 'Bo', 'removed vip', 'no longer'],
    ['tag', 'Ada', 'added vip', null],
    ['label', 'Ada', 'none -> offboard_fraud', reason],
  ]);
  const { body } = await service.call('GET /_kyclone/entities/{fp_id}/timeline', {
    params: { fp_id },
    query: { kinds: 'mark' },
  });
  expect(body.data.map(({ title }) => title)).toEqual([
    'Tag: removed vip',
    'Tag: added vip',
    'Label: none -> offboard_fraud',
  ]);
  expect(body.data.at(-1)).toMatchObject({ title: 'Label: none -> offboard_fraud', by: 'Ada', reason });
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});

test('access log: deleted data, a deleted user and a request for more have operator, reason and effect, and no data', async (service) => {
  const fp_id = await service.user(aReadyUser({ 'id.first_name': 'Quillonda' }));
  const vault = `/users/${fp_id}/vault`;
  const reason = 'asked for it';
  const ask = { note: 'Your card, Quillonda', document: 'passport', fields: ['id.ssn9'], reason };
  await as(service, 'Ada', 'POST', `/_kyclone/entities/${fp_id}/request_info`, ask);
  await as(service, 'Ada', 'DELETE', vault, { fields: ['id.first_name', 'id.visa_expiration_date'], reason });
  await as(service, 'Ada', 'DELETE', vault, { fields: ['id.first_name'], reason });
  await as(service, 'Bo', 'DELETE', vault, { fields: ['id.first_name'], purge: true });
  await as(service, 'Bo', 'DELETE', vault, { delete_all: true });
  await as(service, 'Bo', 'DELETE', vault, { delete_all: true });
  expect((await as(service, 'Ada', 'DELETE', `/users/${fp_id}`, { reason })).status).toBe(200);

  const { body } = await service.call('GET /_kyclone/access-log', { query: { fp_id } });
  expect(
    body.data.map((entry) => [
      entry.operation,
      entry.operator,
      entry.effect,
      entry.reason,
      entry.identifiers,
    ]),
  ).toEqual([
    ['delete', 'Ada', 'deleted user', reason, []],
    ['delete_data', 'Bo', 'deleted everything', null, []],
    ['delete_data', 'Bo', 'deleted 1 field with its history', null, ['id.first_name']],
    ['delete_data', 'Ada', 'deleted 1 field', reason, ['id.first_name']],
    ['request_info', 'Ada', 'asked for document passport and 1 field', reason, []],
  ]);
  expect(JSON.stringify(body)).not.toContain('Quillonda');
  expect((await service.call('GET /_kyclone/access-log/verify')).body.ok).toBe(true);
});

test('deleting what another operator has changed since is 409, and deletes nothing', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await as(service, 'Bo', 'POST', `/users/${fp_id}/tags`, { tag: 'vip' });
  const stale = (path: string, body: object) =>
    service.send({
      method: 'DELETE',
      path,
      body,
      headers: { 'x-kyclone-operator': 'Ada', 'x-kyclone-seen': '0' },
    });
  expect((await stale(`/users/${fp_id}`, {})).status).toBe(409);
  expect((await stale(`/users/${fp_id}/vault`, { delete_all: true })).status).toBe(409);
  const { body } = await service.call('GET /users/{fp_id}/vault', { params: { fp_id } });
  expect(body['id.first_name']).toBe(true);
});

test('decision: hits settles those that nobody decided on, with its reason; without it they remain', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  const params = { fp_id };
  const hits = async () => (await service.call('GET /_kyclone/entities/{fp_id}/hits', { params })).body;
  const decision = { status: 'fail', annotation: 'the same photo' } as const;

  await service.call('POST /users/{fp_id}/decisions', { params, body: decision });
  expect((await hits()).every(({ review }) => review === null)).toBe(true);
  await as(service, 'Ada', 'POST', `/users/${fp_id}/decisions`, { ...decision, hits: 'confirmed' });

  const settled = await hits();
  expect(settled.length).toBeGreaterThan(0);
  for (const { review } of settled) {
    expect(review).toMatchObject({ decision: 'confirmed', reason: 'the same photo', operator: 'Ada' });
  }
});

test('claim: shown in the queue, refused to another operator, taken over, and over after 15 minutes', async (service) => {
  const fp_id = await service.user(aReadyUser());
  await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });
  const path = `/_kyclone/entities/${fp_id}/claim`;
  const claimed = async () => (await service.call('GET /_kyclone/reviews')).body.data[0]?.claim?.operator;

  expect((await as(service, 'Ada', 'POST', path)).status).toBe(200);
  expect(await claimed()).toBe('Ada');
  const refused = await as(service, 'Bo', 'POST', path);
  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toContain('Ada works on this case until');
  expect((await as(service, 'Bo', 'DELETE', path)).status).toBe(409);
  expect((await as(service, 'Bo', 'POST', path, { take_over: true })).status).toBe(200);
  expect(await claimed()).toBe('Bo');
  await service.call('PUT /_kyclone/clock', { body: { action: 'advance', by: '15m' } });
  expect(await claimed()).toBeUndefined();
  expect((await service.send({ method: 'POST', path })).status).toBe(400);

  // The case page has it, with its begin, until it is released.
  const ofCase = async () =>
    (await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } })).body.claim;
  const at = (minutes: number) => new Date(NOON + minutes * MINUTE_MS).toISOString();
  await service.call('PUT /_kyclone/clock', { body: { action: 'freeze', at: at(30) } });
  await as(service, 'Ada', 'POST', path);
  await service.call('PUT /_kyclone/clock', { body: { action: 'freeze', at: at(40) } });
  await as(service, 'Ada', 'POST', path);
  expect(await ofCase()).toEqual({ operator: 'Ada', since: at(30), until: at(55) });
  expect((await as(service, 'Ada', 'DELETE', path)).status).toBe(200);
  expect(await ofCase()).toBeNull();
});

test('an action that was prepared before another operator acted is 409, says what changed, and does nothing', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const newest = await service.call('GET /_kyclone/access-log', { query: { page_size: 1 } });
  const seen = String(newest.body.data[0]?.seq ?? 0);
  const label = async (operator: string, kind: string, headers = {}) =>
    await service.send({
      method: 'POST',
      path: `/users/${fp_id}/label`,
      headers: { 'x-kyclone-operator': operator, ...headers },
      body: { kind },
    });

  await label('Bo', 'offboard_fraud');
  const refused = await label('Ada', 'active', { 'x-kyclone-seen': seen });

  expect(refused.status).toBe(409);
  expect(JSON.stringify(refused.body)).toMatch(
    /It has changed since: Bo at .*: label none -> offboard_fraud/,
  );
  const { body } = await service.call('GET /users/{fp_id}/label', { params: { fp_id } });
  expect(body.kind).toBe('offboard_fraud');
  expect((await label('Bo', 'active', { 'x-kyclone-seen': seen })).status).toBe(200);
  expect((await label('Ada', 'offboard_other')).status).toBe(200);
  expect((await label('Ada', 'active', { 'x-kyclone-seen': 'x' })).status).toBe(400);
});
