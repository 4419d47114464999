/** Outcomes that are set later: by the clock, or by a document (contract §4.4, §4.7). */
import { describe, expect } from 'vitest';
import { aPng, aReadyUser } from '../../support/builders.ts';
import {
  advance,
  aPlaybook,
  aRule,
  codesOf,
  eventsOfKind,
  onboardingOf,
  resolve,
} from '../../support/runs.ts';
import type { TestService } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';
import { words } from '../../support/words.ts';

const slow = (service: TestService, delay_ms = 60_000) => aPlaybook(service, { delay_ms, requirements: [] });

describe('delays', () => {
  test('run: the delay of a rule goes before that of the playbook, even when it is 0', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const key = await slow(service);
    await aRule(service, { match: { playbook_key: key }, outcome: 'fail', delay_ms: 0, times: 1 });
    await aRule(service, { match: { playbook_key: key }, outcome: 'fail', delay_ms: 5_000, times: 1 });

    expect((await onboarding.run({ key })).status).toBe('fail');
    const { onboarding_id: id } = await onboarding.run({ key });
    await advance(service, '5s');

    expect(await onboarding.onboarding(id)).toMatchObject({
      status: 'fail',
      completed_at: '2026-03-01T12:00:05.000Z',
    });
  });

  test('run: one that waits in the future of the clock keeps the rest of its wait when the clock goes back', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    await advance(service, '3d');
    await aRule(service, { match: { kind: 'kyc' }, outcome: 'pending', delay_ms: 10_000 });
    const { onboarding_id: id } = await onboarding.run();
    await service.call('PUT /_kyclone/clock', { body: { action: 'resume' } });
    expect(await advance(service, '9s')).toBe(0);
    expect(await advance(service, '1s')).toBe(1);
    expect((await onboarding.onboarding(id)).status).toBe('pass');
  });

  test('run: several come about in due order, those of one moment in the order of their runs, once each', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const ids: string[] = [];
    for (const delay of [30_000, 10_000, 20_000, 10_000, 10_000]) {
      ids.push((await onboarding.run({ key: await slow(service, delay) })).onboarding_id);
    }

    expect(await advance(service, '1h')).toBe(5);
    expect(await advance(service, '1h')).toBe(0);

    const completed = await eventsOfKind(service, 'onboarding.completed');
    expect(completed.map((event) => [event['onboarding_id'], event['timestamp']])).toEqual([
      ...[1, 3, 4].map((run) => [ids[run], '2026-03-01T12:00:10.000Z']),
      [ids[2], '2026-03-01T12:00:20.000Z'],
      [ids[0], '2026-03-01T12:00:30.000Z'],
    ]);
  });

  test('DELETE /users/{fp_id}: cancels pending outcomes of the user, which GET /_kyclone/info counts', async (service) => {
    const key = await slow(service);
    const pending = async () => (await service.call('GET /_kyclone/info')).body.pending_work;
    const gone = onboardingOf(service, await service.user({}));
    const stays = onboardingOf(service, await service.user({}));
    const { onboarding_id: id } = await gone.run({ key });
    const { onboarding_id: other } = await stays.run({ key });
    expect(await pending()).toBe(2);
    await gone.remove();
    expect(await pending()).toBe(1);

    expect(await advance(service, '1h')).toBe(1);
    expect(await pending()).toBe(0);

    expect(await gone.onboarding(id)).toMatchObject({ status: 'pending', completed_at: null });
    const completed = await eventsOfKind(service, 'onboarding.completed');
    expect(completed.map((event) => event['onboarding_id'])).toEqual([other]);
  });
});

test.eachWith([
  ['10s', 10_000],
  [undefined, 0],
])('run: a rule that says how long it is pending lets it pass then (%s)', async (service, by, delay_ms) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  await aRule(service, { match: { fp_id: '*' }, outcome: 'pending', delay_ms });

  const { onboarding_id: id, status } = await onboarding.run();
  expect(status).toBe('pending');
  // One that is due at once needs no move of the clock.
  if (by !== undefined) await advance(service, by);

  await expect.poll(async () => (await onboarding.onboarding(id)).status).toBe('pass');
});

test('advance: a delayed outcome comes about though an address is damaged', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { onboarding_id: id } = await onboarding.run({ key: await slow(service) });
  service.database
    .prepare("UPDATE vault_values SET sealed = zeroblob(60) WHERE identifier = 'id.address_line1'")
    .run();

  await advance(service, '1m');

  expect((await onboarding.onboarding(id)).status).toBe('pass');
  expect(codesOf(await onboarding.signals())).toContain('address_matches');
});

describe('step-up', () => {
  const STEP_UP = { fixture_result: 'step_up' } as const;

  test.eachWith(
    words`id_card drivers_license passport passport_card permit visa residence_document voter_identification`,
  )('upload: a front image of %s ends it, to be reviewed', async (service, kind) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    const { onboarding_id: id } = await onboarding.run(STEP_UP);
    service.clock.advance(1_000);

    await onboarding.uploadFront(kind);

    expect(await onboarding.onboarding(id)).toMatchObject({
      status: 'fail',
      requires_manual_review: true,
      completed_at: '2026-03-01T12:00:01.000Z',
    });
    expect(await onboarding.details()).toEqual({ status: 'fail', requires_manual_review: true });
    expect((await onboarding.decisions()).data).toMatchObject([{ kind: 'playbook_run', status: 'fail' }]);
    expect(await eventsOfKind(service, 'onboarding.completed')).toMatchObject([
      { onboarding_id: id, status: 'fail', requires_manual_review: true },
    ]);
    expect(codesOf(await onboarding.signals())).toEqual(
      expect.arrayContaining(['watchlist_hit_ofac', 'document_requires_review', 'document_ocr_successful']),
    );
  });

  test.eachWith(words`
    document.ssn_card.front.image document.proof_of_address.front.image document.passport.back.image
    document.passport.selfie.image document.custom.front custom.photo
  `)('upload: %s does not end it', async (service, identifier) => {
    const user = await service.user(aReadyUser());
    const onboarding = onboardingOf(service, user);
    const { onboarding_id: id } = await onboarding.run(STEP_UP);

    await service.upload(user, identifier, Buffer.from('an image'));

    expect((await onboarding.onboarding(id)).status).toBe('incomplete');
  });

  test('upload: with a client token ends it, too, and its document is of the onboarding', async (service) => {
    const user = await service.user(aReadyUser());
    const onboarding = onboardingOf(service, user);
    const { onboarding_id: id } = await onboarding.run(STEP_UP);
    const identifier = 'document.permit.front.image';
    const as = await service.token(user, { scope: 'vault', fields: [identifier] });

    const path = `/users/vault/${identifier}/upload`;
    const headers = { 'content-type': 'image/png' };
    expect((await service.send({ method: 'POST', path, headers, body: aPng(), as })).status).toBe(200);

    expect((await onboarding.onboarding(id)).status).toBe('fail');
    const documents = await service.call('GET /users/{fp_id}/documents', { params: { fp_id: user } });
    expect(documents.body).toMatchObject([{ document_type: 'permit', onboarding_id: id }]);
  });

  test('run: an image from before does not count, nor does its removal; another one of the same kind does', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    await onboarding.uploadFront('passport');
    const { onboarding_id: id, status } = await onboarding.run(STEP_UP);
    expect(status).toBe('incomplete');
    await onboarding.write({ 'document.passport.front.image': null });
    expect((await onboarding.onboarding(id)).status).toBe('incomplete');

    await onboarding.uploadFront('passport');

    expect((await onboarding.onboarding(id)).status).toBe('fail');
  });

  test('upload: ends every step-up of the user, and its document is of the newest', async (service) => {
    const user = await service.user(aReadyUser());
    const onboarding = onboardingOf(service, user);
    await onboarding.run(STEP_UP);
    const { onboarding_id: newest } = await onboarding.run(STEP_UP);

    await onboarding.uploadFront('permit');

    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(2);
    const documents = await service.call('GET /users/{fp_id}/documents', { params: { fp_id: user } });
    expect(documents.body).toMatchObject([{ onboarding_id: newest }]);
    await onboarding.uploadFront('permit');
    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(2);
  });

  test('resolve: a resolved run waits for no document', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    const { onboarding_id: id } = await onboarding.run(STEP_UP);
    await resolve(service, id, 'pending');

    await onboarding.uploadFront('passport');

    expect((await onboarding.onboarding(id)).status).toBe('pending');
  });

  test('run: with a delay it asks for the document when that is over', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const { onboarding_id: id, status } = await onboarding.run({ key: await slow(service), ...STEP_UP });
    expect(status).toBe('pending');
    await onboarding.uploadFront('passport');
    await advance(service, '1m');
    expect((await onboarding.onboarding(id)).status).toBe('incomplete');

    await onboarding.uploadFront('passport');

    expect((await onboarding.onboarding(id)).status).toBe('fail');
  });
});
