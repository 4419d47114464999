/** GET and PUT /_kyclone/clock (contract §11). */
import { expect } from 'vitest';
import { storedClockSetting } from '../../../src/nouns/clock/service/index.ts';
import { failureOf, startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const HOUR = 3_600_000;

function put(service: TestService, body: unknown) {
  return service.request('PUT /_kyclone/clock', { body });
}

async function state(service: TestService) {
  return (await service.call('GET /_kyclone/clock')).body;
}

/** Moves the clock; returns the response. */
async function move(service: TestService, body: object): Promise<unknown> {
  const reply = await put(service, body);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
}

const REAL = {
  now: '2026-03-01T12:00:00.000Z',
  real_now: '2026-03-01T12:00:00.000Z',
  mode: 'real',
  offset_ms: 0,
};

test('GET /_kyclone/clock: is real time at first, and so says info', async (service) => {
  expect(await state(service)).toEqual(REAL);
  expect((await service.call('GET /_kyclone/info')).body.clock).toEqual(REAL);
});

test('freeze: the clock stops while real time passes', async (service) => {
  expect(await move(service, { action: 'freeze' })).toEqual({ now: REAL.now, drained: 0 });
  service.clock.advance(HOUR);
  expect(await state(service)).toEqual({
    now: '2026-03-01T12:00:00.000Z',
    real_now: '2026-03-01T13:00:00.000Z',
    mode: 'frozen',
    offset_ms: -HOUR,
  });
});

test('freeze: at a time, ahead or back, in any time zone', async (service) => {
  await move(service, { action: 'freeze', at: '2030-01-01T01:00:00.250+01:00' });
  expect(await state(service)).toMatchObject({ now: '2030-01-01T00:00:00.250Z', mode: 'frozen' });
  for (const at of ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
    await move(service, { action: 'freeze', at });
    expect(await state(service)).toMatchObject({ now: at, mode: 'frozen' });
  }
});

test('set: the clock keeps running from there, a frozen one too', async (service) => {
  await move(service, { action: 'freeze' });
  expect(await move(service, { action: 'set', at: '2027-01-01T00:00:00Z' })).toEqual({
    now: '2027-01-01T00:00:00.000Z',
    drained: 0,
  });
  service.clock.advance(HOUR);
  expect(await state(service)).toMatchObject({ now: '2027-01-01T01:00:00.000Z', mode: 'offset' });
});

test('advance: from real time the mode is offset, and each adds to the one before', async (service) => {
  expect(await move(service, { action: 'advance', by: '90m' })).toEqual({
    now: '2026-03-01T13:30:00.000Z',
    drained: 0,
  });
  service.clock.advance(HOUR);
  await move(service, { action: 'advance', by: 'PT30M' });
  expect(await state(service)).toEqual({
    now: '2026-03-01T15:00:00.000Z',
    real_now: '2026-03-01T13:00:00.000Z',
    mode: 'offset',
    offset_ms: 2 * HOUR,
  });
});

test('advance: a frozen clock stays frozen at the new time', async (service) => {
  await move(service, { action: 'freeze', at: '2026-01-31T10:00:00Z' });
  expect(await move(service, { action: 'advance', by: 'P1M' })).toMatchObject({
    now: '2026-02-28T10:00:00.000Z',
  });
  service.clock.advance(HOUR);
  expect(await state(service)).toMatchObject({ now: '2026-02-28T10:00:00.000Z', mode: 'frozen' });
});

test('offset: shifts either way, and adds to the offset that there is', async (service) => {
  await move(service, { action: 'offset', by: -HOUR });
  expect(await state(service)).toMatchObject({ mode: 'offset', offset_ms: -HOUR });
  await move(service, { action: 'offset', by: '3h' });
  expect(await state(service)).toMatchObject({ mode: 'offset', offset_ms: 2 * HOUR });
  await move(service, { action: 'freeze' });
  await move(service, { action: 'offset', by: '-P1D' });
  expect(await state(service)).toMatchObject({ now: '2026-02-28T14:00:00.000Z', mode: 'frozen' });
});

test('resume: is real time again, from any mode; again changes nothing', async (service) => {
  for (const body of [
    { action: 'freeze' },
    { action: 'advance', by: 5 },
    { action: 'offset', by: -5 },
  ] as const) {
    await move(service, body);
    await move(service, { action: 'resume' });
    expect(await state(service)).toEqual(REAL);
  }
  expect(await move(service, { action: 'resume' })).toEqual({ now: REAL.now, drained: 0 });
});

test.eachWith([
  ['set without at', { action: 'set' }, 'at'],
  ['advance without by', { action: 'advance' }, 'by'],
  ['offset without by', { action: 'offset' }, 'by'],
  ['by for freeze', { action: 'freeze', by: 1 }, 'by'],
  ['by for set', { action: 'set', at: '2027-01-01T00:00:00Z', by: 1 }, 'by'],
  ['at for advance', { action: 'advance', by: 1, at: '2027-01-01T00:00:00Z' }, 'at'],
  ['at for offset', { action: 'offset', by: 1, at: '2027-01-01T00:00:00Z' }, 'at'],
  ['at for resume', { action: 'resume', at: '2027-01-01T00:00:00Z' }, 'at'],
  ['an advance backwards', { action: 'advance', by: -1 }, 'by'],
  ['an advance backwards, in words', { action: 'advance', by: '-PT1S' }, 'by'],
  ['a duration that is none', { action: 'offset', by: 'soon' }, 'by'],
  ['a fraction of a millisecond', { action: 'offset', by: 0.5 }, 'by'],
  ['a time without a zone', { action: 'set', at: '2027-01-01T00:00:00' }, 'at'],
  ['a day that its month has not', { action: 'set', at: '2027-02-29T00:00:00Z' }, 'at'],
  ['a time before 1970', { action: 'set', at: '1969-12-31T23:59:59.999Z' }, '1970'],
  ['a time after 9999', { action: 'set', at: '9999-12-31T23:59:59.999-00:01' }, '9999'],
  ['a shift before 1970', { action: 'offset', by: '-P57Y' }, '1970'],
  ['a shift after 9999', { action: 'advance', by: 'P8000Y' }, '9999'],
  ['a shift beyond all dates', { action: 'advance', by: 9e15 }, '9999'],
  ['a shift beyond all integers', { action: 'advance', by: 1e300 }, 'by'],
])('PUT /_kyclone/clock: refuses %s', async (service, _name, body, named) => {
  await move(service, { action: 'freeze' });
  const refusal = await service.refused('PUT /_kyclone/clock', { body });
  expect(refusal).toMatchObject(failureOf(400, 'invalid_request', named));
  expect(await state(service)).toMatchObject({ now: REAL.now, mode: 'frozen' });
});

test('clock: a clock that passes 9999 stops at its last instant, and requests are served', async () => {
  const last = '9999-12-31T23:59:59.999Z';
  await using service = await startService();
  await move(service, { action: 'set', at: '9999-12-31T23:59:59.000Z' });
  service.clock.advance(HOUR);
  expect(await state(service)).toMatchObject({ now: last, mode: 'offset' });

  // A token that expires after the last instant that a date can express expires at that instant.
  const user = await service.user();
  const token = await service.call('POST /users/{fp_id}/client_token', {
    params: { fp_id: user },
    body: { scope: 'decrypt', fields: ['id.first_name'], decrypt_reason: 'a test' },
  });
  expect(token.body.expires_at).toBe(last);
  const refused = await put(service, { action: 'advance', by: 1 });
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(refused.text).toContain('9999');
  await move(service, { action: 'resume' });
  expect(await state(service)).toMatchObject({ mode: 'real' });
});

test('PUT /_kyclone/clock: whatever is stamped afterwards has the time of the clock', async (service) => {
  await move(service, { action: 'freeze', at: '2031-05-06T07:08:09.010Z' });
  const user = await service.user();
  const vault = await service.call('POST /users/{fp_id}/vault/decrypt', {
    params: { fp_id: user },
    body: { fields: ['id.first_name'], reason: 'a test' },
  });
  const at = '2031-05-06T07:08:09.010Z';
  const params = { fp_id: user };
  const { body: entity } = await service.call('GET /_kyclone/entities/{fp_id}', { params });
  expect([entity.created_at, entity.updated_at]).toEqual([at, at]);
  expect(entity.vault.every(({ updated_at }) => updated_at === at)).toBe(true);
  expect((await service.call('GET /_kyclone/access-log')).body.data.map((entry) => entry.at)).toEqual([at]);
  const { body: request } = await service.call('GET /_kyclone/requests/{id}', {
    params: { id: vault.requestId },
  });
  expect(request.at).toBe(at);
  const { body: tag } = await service.call('POST /users/{fp_id}/tags', { params, body: { tag: 'late' } });
  expect(tag.created_at).toBe(at);
});

const mint = (service: TestService, user: string) =>
  service.token(user, { scope: 'vault', fields: ['id.first_name'], ttl: 3_600 });
const useToken = (service: TestService, as: string) =>
  service.request('PATCH /users/vault', { as, body: { 'id.first_name': 'Jane' } });

test.eachWith([
  ['resume', { action: 'resume' }],
  ['offset', { action: 'offset', by: '-2h' }],
  ['set', { action: 'set', at: '2026-03-01T12:00:00Z' }],
  ['freeze', { action: 'freeze', at: '2026-03-01T12:00:00Z' }],
] as const)('%s: an expired token stays expired when the clock is moved back', async (service, _, back) => {
  const user = await service.user();
  const expired = await mint(service, user);
  await move(service, { action: 'advance', by: '1h' });
  const young = await mint(service, user);
  expect((await useToken(service, expired)).body).toMatchObject({ code: 'token_expired' });

  await move(service, back);

  expect((await useToken(service, expired)).body).toMatchObject({ code: 'token_expired' });
  expect((await useToken(service, young)).status).toBe(200);
  expect((await useToken(service, await mint(service, user))).status).toBe(200);
});

test('offset: an unexpired token stays valid when the clock is moved back', async (service) => {
  const token = await mint(service, await service.user());
  await move(service, { action: 'advance', by: '59m' });
  await move(service, { action: 'resume' });
  expect((await useToken(service, token)).status).toBe(200);
  await move(service, { action: 'advance', by: 'PT1H' });
  expect((await useToken(service, token)).body).toMatchObject({ code: 'token_expired' });
});

test('POST /_kyclone/reset: the clock resumes', async (service) => {
  await move(service, { action: 'freeze', at: '2030-01-01T00:00:00Z' });
  await service.call('POST /_kyclone/reset', { body: {} });
  expect(await state(service)).toEqual(REAL);
  expect(storedClockSetting(service.database)).toEqual({ mode: 'real' });
});
