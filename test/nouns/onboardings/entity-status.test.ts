/** The status of a user or business: from its newest onboarding, or from a later manual decision (contract §4.4). */
import { describe, expect } from 'vitest';
import { aPng, aReadyBusiness, aReadyUser } from '../../support/builders.ts';
import { advance, aPlaybook, eventsOfKind, onboardingOf, resolve } from '../../support/runs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const slow = (service: TestService, delay_ms = 60_000) => aPlaybook(service, { delay_ms, requirements: [] });

test('run: the newest onboarding counts, a new run that is open included', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  expect(await onboarding.details()).toEqual({ status: 'none', requires_manual_review: false });

  await onboarding.run({ fixture_result: 'manual_review' });
  expect(await onboarding.details()).toEqual({ status: 'fail', requires_manual_review: true });

  await onboarding.run({ key: await slow(service) });
  expect(await onboarding.details()).toEqual({ status: 'pending', requires_manual_review: false });

  await advance(service, '1m');
  expect(await onboarding.details()).toEqual({ status: 'pass', requires_manual_review: false });
});

test('run: an older one that ends late leaves the status, or a decision by hand, as it is', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { onboarding_id: old } = await onboarding.run({
    key: await slow(service),
    fixture_result: 'manual_review',
  });
  await onboarding.run();

  await advance(service, '1m');

  expect(await onboarding.onboarding(old)).toMatchObject({ status: 'fail', requires_manual_review: true });
  expect(await onboarding.details()).toEqual({ status: 'pass', requires_manual_review: false });
  expect(await onboarding.codes()).not.toContain('watchlist_hit_ofac');

  await onboarding.run({ key: await slow(service) });
  await onboarding.run();
  await onboarding.decide({ status: 'fail' });
  await advance(service, '1m');
  expect((await onboarding.details()).status).toBe('fail');
});

test.each(['pass', 'fail'] as const)(
  'decide: %s ends the runs that have a result to come, and nothing overwrites it later',
  async (status) => {
    await using service = await startService({ settings: { events: { extended: true } } });
    const fp_id = await service.user(aReadyUser());
    const onboarding = onboardingOf(service, fp_id);
    const key = await slow(service);
    const runs = [
      await onboarding.run({ key, fixture_result: 'manual_review' }),
      await onboarding.run({ key, fixture_result: 'pending' }),
      await onboarding.run({ fixture_result: 'step_up' }),
    ].map(({ onboarding_id }) => onboarding_id);
    await onboarding.decide({ status });
    await service.upload(fp_id, 'document.passport.front.image', aPng());
    for (const id of runs) {
      expect(await onboarding.onboarding(id)).toMatchObject({ status, requires_manual_review: false });
      const refusal = await service.refused('POST /_kyclone/onboardings/{id}/resolve', {
        params: { id },
        body: { outcome: status === 'pass' ? 'fail' : 'pass' },
      });
      expect(refusal).toMatchObject({ status: 409, code: 'conflict' });
    }

    await advance(service, '1d');

    expect(await onboarding.details()).toEqual({ status, requires_manual_review: false });
    expect((await onboarding.decisions()).data.map(({ kind }) => kind)).toEqual(['manual']);
    // Nothing was found out.
    expect(await onboarding.signals()).toEqual([]);
    const { data } = (await service.call('GET /_kyclone/events')).body;
    const completed = data.filter(({ kind }) => kind === 'onboarding.completed').map(({ body }) => body);
    expect(completed.map((body) => body['onboarding_id'])).toEqual([...runs].reverse());
  },
);

describe.each([
  { entity: 'user', data: aReadyUser() },
  { entity: 'business', data: aReadyBusiness() },
] as const)('a decision by hand about a $entity', ({ entity, data }) => {
  test('decide: needs an onboarding; changes the entity and takes the review away, not the status of the onboarding', async () => {
    await using service = await startService({ settings: { events: { extended: true } } });
    const onboarding = onboardingOf(service, await service[entity](data));
    expect(await onboarding.refusedDecision()).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await onboarding.decisions()).data).toEqual([]);
    const { onboarding_id: id, fp_id } = await onboarding.run({ fixture_result: 'manual_review' });
    service.clock.advance(1_000);

    expect(await onboarding.decide({ status: 'pass' })).toEqual({});

    expect(await onboarding.details()).toEqual({ status: 'pass', requires_manual_review: false });
    expect(await onboarding.onboarding(id)).toMatchObject({
      status: 'fail',
      requires_manual_review: false,
      timestamp: '2026-03-01T12:00:01.000Z',
      completed_at: '2026-03-01T12:00:00.000Z',
    });
    expect(await eventsOfKind(service, 'user.manual_review')).toEqual([
      {
        event_kind: 'user.manual_review',
        fp_id,
        is_live: false,
        timestamp: '2026-03-01T12:00:01.000Z',
        external_id: null,
      },
    ]);
    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(1);
  });
});

test('decide: leaves an onboarding that waits for no review as it is; a new run replaces it', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { onboarding_id: decided } = await onboarding.run();
  const before = await onboarding.onboarding(decided);
  service.clock.advance(1_000);
  await onboarding.decide({ status: 'fail' });
  expect(await onboarding.onboarding(decided)).toEqual(before);
  expect(await onboarding.details()).toEqual({ status: 'fail', requires_manual_review: false });

  const { onboarding_id } = await onboarding.run({ fixture_result: 'step_up' });
  expect((await onboarding.details()).status).toBe('incomplete');
  await resolve(service, onboarding_id, 'error');
  expect((await onboarding.details()).status).toBe('incomplete');
});
