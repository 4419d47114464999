/** Endpoints that old clients call (contract §2.25). */
import { expect } from 'vitest';
import { aPng, aReadyUser, KYC } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { LIVE_KEY } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

test('api_keys/check: 200 for any key that is valid', async (service) => {
  for (const as of [undefined, LIVE_KEY, await service.key({ permissions: [], scopes: [] })]) {
    const reply = await service.request('GET /org/api_keys/check', as === undefined ? {} : { as });
    expect(reply).toMatchObject({ status: 200, body: {} });
  }
});

test('auth_events: one for each completed flow, newest first', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const params = { fp_id };
  for (const auth_kind of ['email', 'passkey'] as const) {
    const body = { kind: 'onboard', key: KYC } as const;
    const { token } = (await service.call('POST /users/{fp_id}/token', { params, body })).body;
    service.clock.advance(1_000);
    await service.call('POST /_kyclone/sessions/complete', { body: { token, auth_kind } });
  }
  await service.call('POST /users/{fp_id}/token', { params, body: { kind: 'user' } });

  expect((await service.call('GET /users/{fp_id}/auth_events', { params })).body).toEqual([
    { kind: 'passkey', timestamp: '2026-03-01T12:00:02.000Z' },
    { kind: 'email', timestamp: '2026-03-01T12:00:01.000Z' },
  ]);
  const other = { fp_id: await service.user({}) };
  expect((await service.call('GET /users/{fp_id}/auth_events', { params: other })).body).toEqual([]);
});

test('liveness: one for each document with a selfie', async (service) => {
  const fp_id = await service.user({});
  await service.upload(fp_id, 'document.passport.front.image', aPng());
  const read = async () => (await service.call('GET /users/{fp_id}/liveness', { params: { fp_id } })).body;
  expect(await read()).toEqual([]);

  await service.upload(fp_id, 'document.passport.selfie.image', aPng());

  const { body: documents } = await service.call('GET /users/{fp_id}/documents', { params: { fp_id } });
  expect(await read()).toEqual([
    { timestamp: '2026-03-01T12:00:00.000Z', document_id: documents[0]?.id, onboarding_id: '' },
  ]);
});

test('match_signals: by scope, with the worst level of the codes of the latest finished onboarding', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const read = async () =>
    (await service.call('GET /users/{fp_id}/match_signals', { params: { fp_id } })).body;
  expect(await read()).toEqual([]);
  await service.call('POST /_kyclone/outcomes', {
    body: {
      match: { fp_id },
      outcome: 'pass',
      signals: {
        add: ['dob_matches', 'name_first_partially_matches', 'name_last_does_not_match', 'ssn_matches'],
      },
    },
  });
  await onboardingOf(service, fp_id).run({});

  const found = new Map((await read()).map(({ scope, ...rest }) => [scope, rest]));
  expect(found.get('name')).toMatchObject({ match_level: 'no_match' });
  expect(found.get('name')?.reason_codes).toEqual(
    expect.arrayContaining(['name_first_partially_matches', 'name_last_does_not_match']),
  );
  expect(found.get('dob')).toMatchObject({ match_level: 'match' });
});

test('reonboard: runs the user again, and returns another onboarding', async (service) => {
  const fp_id = await service.user(aReadyUser());
  const first = await onboardingOf(service, fp_id).run({});

  const { body } = await service.call('POST /users/{fp_id}/reonboard', {
    params: { fp_id },
    body: { key: KYC, fixture_result: 'fail' },
  });

  expect(body).toMatchObject({ fp_id, status: 'fail' });
  expect(body.onboarding_id).not.toBe(first.onboarding_id);
});
