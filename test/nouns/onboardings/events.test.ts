/** Events and stream messages about onboardings (contract §4.6, §4.7, §9.2). */
import { expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYB } from '../../support/builders.ts';
import { advance, aPlaybook, eventsOf, eventsOfKind, onboardingOf } from '../../support/runs.ts';
import { startService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const EXTENDED = { settings: { events: { extended: true } } };

test.eachWith(['user', 'business'] as const)(
  'onboarding.completed: of a %s has the members of the spec, equal to the onboarding',
  async (service, entity) => {
    const key = entity === 'user' ? 'POST /users' : 'POST /businesses';
    const { body } = await service.call(key, { headers: { 'x-external-id': 'their-id-1' } });
    const onboarding = onboardingOf(service, body.id);
    await onboarding.write(entity === 'user' ? aReadyUser() : aReadyBusiness());
    service.clock.advance(1_000);

    const { onboarding_id } = await onboarding.run({
      fixture_result: 'manual_review',
      onboarding_external_id: 'their onboarding',
    });

    const [event, ...more] = await eventsOf(service);
    expect(more).toEqual([]);
    const { id, created_at, completed_at, ...same } = await onboarding.onboarding(onboarding_id);
    expect(event).toEqual({ ...same, event_kind: 'onboarding.completed' });
    expect(event).toEqual({
      event_kind: 'onboarding.completed',
      fp_id: body.id,
      timestamp: '2026-03-01T12:00:01.000Z',
      status: 'fail',
      is_live: false,
      onboarding_id: id,
      requires_manual_review: true,
      playbook_key: entity === 'user' ? KYB.replace('kyb', 'kyc') : KYB,
      playbook_version: 1,
      external_id: 'their-id-1',
      onboarding_external_id: 'their onboarding',
    });
    expect([created_at, completed_at]).toEqual([event?.['timestamp'], event?.['timestamp']]);
  },
);

test('onboarding.completed: external ids are null when absent, and the external id is that of the moment', async (service) => {
  const fp_id = await service.user({});
  const onboarding = onboardingOf(service, fp_id);
  const key = await aPlaybook(service, { delay_ms: 1_000, requirements: [] });
  const { onboarding_id } = await onboarding.run({ key });
  await onboarding.run({ key: await aPlaybook(service, { requirements: [] }) });
  await service.call('PATCH /users/{fp_id}', { params: { fp_id }, body: { external_id: 'since-then' } });

  await advance(service, '1s');

  expect(await eventsOf(service)).toMatchObject([
    { external_id: null, onboarding_external_id: null },
    { external_id: 'since-then', onboarding_external_id: null },
  ]);
  expect(await onboarding.onboarding(onboarding_id)).toMatchObject({ external_id: 'since-then' });
});

test('onboarding.status_changed: shows each status, in order', async () => {
  await using service = await startService(EXTENDED);
  const onboarding = onboardingOf(service, await service.user({}));
  const key = await aPlaybook(service, { delay_ms: 1_000, requirements: [] });
  const { onboarding_id, fp_id } = await onboarding.run({ key, fixture_result: 'step_up' });
  await advance(service, '1s');
  await onboarding.uploadFront('visa');

  const changes = await eventsOfKind(service, 'onboarding.status_changed');

  const [now, later] = ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:01.000Z'];
  const common = { event_kind: 'onboarding.status_changed', fp_id, is_live: false, onboarding_id };
  expect(changes).toEqual([
    { ...common, new_status: 'pending', requires_manual_review: false, timestamp: now },
    { ...common, new_status: 'incomplete', requires_manual_review: false, timestamp: later },
    { ...common, new_status: 'fail', requires_manual_review: true, timestamp: later },
  ]);
});

test.each([
  { outcome: 'pass', status: 'pass' },
  { outcome: 'fail', status: 'pass' },
  { outcome: 'manual_review', status: 'fail' },
  { outcome: 'none', status: undefined },
  { outcome: 'error', status: undefined },
] as const)('watchlist_check.completed: of $outcome says $status', async ({ outcome, status }) => {
  await using service = await startService(EXTENDED);
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { fp_id } = await onboarding.run({ fixture_result: outcome });

  const event_kind = 'watchlist_check.completed';
  const timestamp = '2026-03-01T12:00:00.000Z';
  const event = { event_kind, fp_id, is_live: false, timestamp, status, error: null, external_id: null };
  expect(await eventsOfKind(service, event_kind)).toEqual(status === undefined ? [] : [event]);
});

test('vault.updated: names the identifiers that were written and deleted, never a value', async () => {
  await using service = await startService(EXTENDED);
  const fp_id = await service.user({ 'id.first_name': 'Ada', 'id.last_name': 'Unspoken' });
  const onboarding = onboardingOf(service, fp_id);
  await onboarding.write({ 'id.first_name': 'Countess', 'id.last_name': null });
  await onboarding.write({ 'id.first_name': 'Countess' });

  expect(await eventsOfKind(service, 'vault.updated')).toEqual([
    {
      event_kind: 'vault.updated',
      fp_id,
      is_live: false,
      timestamp: '2026-03-01T12:00:00.000Z',
      fields: ['id.first_name', 'id.last_name'],
      source: 'api',
      external_id: null,
    },
  ]);
});

test('events: only onboarding.completed is sent by default', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  await onboarding.run({ fixture_result: 'manual_review' });
  await onboarding.decide();
  await onboarding.write({ 'id.first_name': 'Ada' });

  expect((await eventsOf(service)).map((event) => event['event_kind'])).toEqual(['onboarding.completed']);
});

test('GET /_kyclone/stream: shows each change of an onboarding, nothing that was rolled back', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const {
    onboarding_id: id,
    fp_id,
    playbook_key,
  } = await onboarding.run({ fixture_result: 'manual_review' });
  await onboarding.refusedRun({ allow_reonboard: false });
  await onboarding.decide();

  const { text } = await service.send({
    method: 'GET',
    path: '/_kyclone/stream?types=onboarding&follow=false',
  });

  const messages = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line ?? '') as unknown);
  const notice = { id, fp_id, playbook_key, status: 'fail' };
  expect(messages).toEqual([
    { ...notice, requires_manual_review: true },
    { ...notice, requires_manual_review: false },
  ]);
});
