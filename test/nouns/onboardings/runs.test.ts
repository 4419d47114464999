/** Headless runs: what they require and what they refuse (contract §4.1, §4.2, §10). */
import { describe, expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYC } from '../../support/builders.ts';
import { aPlaybook, onboardingOf } from '../../support/runs.ts';
import { LIVE_KEY, failureOf } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

const LIVE_KYC = 'pb_live_kycdefault000000000000';

test('POST /users/{fp_id}/kyc: returns the outcome, with the version of the vault', async (service) => {
  const fp_id = await service.user(aReadyUser());

  const { body, version } = await service.call('POST /users/{fp_id}/kyc', {
    params: { fp_id },
    body: { key: KYC },
  });

  expect(body).toEqual({
    fp_id,
    onboarding_id: expect.stringMatching(/^ob_[0-9A-Za-z]{22}$/) as string,
    playbook_key: KYC,
    status: 'pass',
    requires_manual_review: false,
  });
  expect(version).toBe(1);
});

test.eachWith([
  { entity: 'user', kind: 'kyb', code: 'playbook_unknown' },
  { entity: 'business', kind: 'kyc', code: 'playbook_unknown' },
  { entity: 'business', kind: 'document', code: 'playbook_unknown' },
  { entity: 'user', key: 'pb_test_nobody', code: 'playbook_unknown' },
  { entity: 'user', key: LIVE_KYC, code: 'playbook_unknown' },
  // For sessions only.
  { entity: 'business', kind: 'kyb', collects_owners: true, code: 'invalid_request' },
] as const)('run: %j', async (service, { entity, code, ...playbook }) => {
  const data = entity === 'user' ? aReadyUser() : aReadyBusiness();
  const onboarding = onboardingOf(service, await service[entity](data));

  const key = 'key' in playbook ? playbook.key : await aPlaybook(service, playbook);

  expect(await onboarding.refusedRun({ key })).toMatchObject({ status: 400, code });
  expect((await onboarding.list()).data).toEqual([]);
});

describe('requirements', () => {
  test('run: names the first identifier of each unmet group, and all groups in the message', async (service) => {
    const onboarding = onboardingOf(
      service,
      await service.user({ 'id.first_name': 'Ada', 'id.zip': '94117' }),
    );

    const refusal = await onboarding.refusedRun({});

    expect(refusal).toMatchObject({ status: 400, code: 'T121' });
    const missing = ['last_name', 'dob', 'address_line1', 'city', 'state', 'country', 'ssn9'];
    expect(refusal.context).toEqual(
      Object.fromEntries(missing.map((name) => [`id.${name}`, 'required by the playbook'])),
    );
    expect(refusal.message).toContain('one of id.ssn9, id.ssn4, id.itin, id.us_tax_id');
    expect(refusal.message).toContain('id.dob');
    expect(refusal.message).not.toContain('id.first_name');
    expect((await onboarding.list()).data).toEqual([]);
    expect(await onboarding.details()).toEqual({ status: 'none', requires_manual_review: false });
  });

  test.eachWith([
    { group: ['id.ssn4'], data: { 'id.ssn9': '121121212' }, by: 'an ssn4 that derives from the ssn9' },
    { group: ['id.us_tax_id'], data: { 'id.itin': '912501212' }, by: 'a tax id that derives from the itin' },
    { group: ['id.email', 'id.phone_number'], data: { 'id.phone_number': '+14155552671' }, by: 'its second' },
  ])('run: a group is satisfied by $by', async (service, { group, data }) => {
    const onboarding = onboardingOf(service, await service.user(data));
    const key = await aPlaybook(service, { requirements: [group] });

    expect((await onboarding.run({ key })).status).toBe('pass');
  });

  test('run: a playbook that asks for the legal status asks a holder of a visa for more', async (service) => {
    const key = await aPlaybook(service, { requirements: [['id.us_legal_status']] });
    const holder = onboardingOf(service, await service.user({ 'id.us_legal_status': 'visa' }));
    const { code, context } = await holder.refusedRun({ key });
    expect(code).toBe('T121');
    expect(Object.keys(context ?? {})).toEqual([
      'id.visa_kind',
      'id.visa_expiration_date',
      'id.nationality',
      'id.citizenships',
    ]);

    await holder.write({
      'id.visa_kind': 'h1b',
      'id.visa_expiration_date': '2030-01-31',
      'id.nationality': 'CA',
      'id.citizenships': ['CA'],
    });
    expect((await holder.run({ key })).status).toBe('pass');

    const citizen = onboardingOf(service, await service.user({ 'id.us_legal_status': 'citizen' }));
    expect((await citizen.run({ key })).status).toBe('pass');
    const other = await aPlaybook(service, { requirements: [['id.email']] });
    await holder.write({ 'id.visa_kind': null, 'id.email': 'jane@example.com' });
    expect((await holder.run({ key: other })).status).toBe('pass');
  });

  test.eachWith(['passport', 'proof_of_address'])(
    'run: a document playbook asks for a front image of any kind, such as %s',
    async (service, kind) => {
      const user = await service.user({});
      const onboarding = onboardingOf(service, user);
      const key = await aPlaybook(service, { kind: 'document' });
      await service.upload(user, 'document.passport.back.image', Buffer.from('not the front'));
      expect(await onboarding.refusedRun({ key })).toMatchObject({ status: 400, code: 'T121' });

      await onboarding.uploadFront(kind);

      expect((await onboarding.run({ key })).status).toBe('pass');
      expect((await onboarding.details()).status).toBe('pass');
      expect((await onboarding.decisions()).data).toEqual([]);
    },
  );

  test('run: a document playbook asks for its other requirements, too', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const key = await aPlaybook(service, { kind: 'document', requirements: [['id.dob']] });
    await onboarding.uploadFront('visa');

    expect((await onboarding.refusedRun({ key })).context).toEqual({ 'id.dob': 'required by the playbook' });
  });
});

describe('country', () => {
  test('run: an address outside the United States is refused, on kyc only', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser({ 'id.country': 'DE' })));
    const refusal = await onboarding.refusedRun({});
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'id.country'));
    expect(refusal.message).not.toContain('DE');
    await onboarding.uploadFront('passport');

    const key = await aPlaybook(service, { kind: 'document' });

    expect((await onboarding.run({ key })).status).toBe('pass');
  });

  test('run: a user without a country passes where none is required, and a business may be anywhere', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const key = await aPlaybook(service, { requirements: [] });
    expect((await onboarding.run({ key })).status).toBe('pass');

    const data = aReadyBusiness({ 'business.country': 'DE', 'business.state': 'BY' });
    expect((await onboardingOf(service, await service.business(data)).run()).status).toBe('pass');
  });
});

describe('onboarding again', () => {
  test.eachWith(['allow_reonboard', 'force_reonboard'])(
    'run: %s false refuses a second run',
    async (service, member) => {
      const onboarding = onboardingOf(service, await service.user(aReadyUser()));
      expect((await onboarding.run({ [member]: false })).status).toBe('pass');

      expect(await onboarding.refusedRun({ [member]: false })).toMatchObject({ status: 409, code: 'T122' });

      expect((await onboarding.list()).data).toHaveLength(1);
      expect((await onboarding.run({ [member]: true })).status).toBe('pass');
      expect((await onboarding.run()).status).toBe('pass');
    },
  );

  test.eachWith(['fail', 'error', 'pending', 'step_up'] as const)(
    'run: one that came to %s counts as onboarded',
    async (service, fixture_result) => {
      const onboarding = onboardingOf(service, await service.user(aReadyUser()));
      await onboarding.run({ fixture_result });

      expect((await onboarding.refusedRun({ allow_reonboard: false })).code).toBe('T122');
    },
  );

  test('run: an existing onboarding is reported before missing data; another playbook is another one', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    await onboarding.run();

    const key = await aPlaybook(service);
    expect((await onboarding.run({ key, allow_reonboard: false })).status).toBe('pass');

    await onboarding.write({ 'id.dob': null });
    expect((await onboarding.refusedRun({ allow_reonboard: false })).code).toBe('T122');
  });

  test('run: the two names of one member may not disagree', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));

    const refusal = await onboarding.refusedRun({ allow_reonboard: true, force_reonboard: false });

    expect(refusal).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await onboarding.run({ allow_reonboard: false, force_reonboard: false })).status).toBe('pass');
  });
});

test('run: with a live key it passes, and chooses no outcome; without a sandbox id the default outcome counts', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser(), LIVE_KEY), LIVE_KEY);

  const { onboarding_id, status } = await onboarding.run({ key: LIVE_KYC });

  expect(status).toBe('pass');
  expect(await onboarding.onboarding(onboarding_id)).toMatchObject({ is_live: true });
  expect(await onboarding.refusedRun({ key: LIVE_KYC, fixture_result: 'fail' })).toMatchObject(
    failureOf(400, 'invalid_request'),
  );
  expect(await onboarding.refusedRun({ key: KYC })).toMatchObject({ code: 'playbook_unknown' });
  const key = await aPlaybook(service, { default_outcome: 'none' }, { environment: 'live' });
  expect((await onboarding.run({ key })).status).toBe('none');
});
