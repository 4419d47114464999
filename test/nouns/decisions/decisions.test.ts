/** Lists of decisions, and what is stored of manual ones (contract §2.18, §4.4). */
import { expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { test } from '../../support/test-with.ts';

/** The longest note. */
const LONG = 'x'.repeat(2_000);

test.eachWith([
  { entity: 'user', data: aReadyUser(), playbook_key: KYC },
  { entity: 'business', data: aReadyBusiness(), playbook_key: KYB },
] as const)('GET decisions of a $entity: newest first, by playbook and by hand', async (service, row) => {
  const onboarding = onboardingOf(service, await service[row.entity](row.data));
  await onboarding.run({ fixture_result: 'manual_review' });
  await onboarding.run({ fixture_result: 'error' });
  service.clock.advance(1_000);
  await onboarding.decide({ status: 'pass', annotation: 'ID seen', reviewer_email: 'r@reviewers.example' });
  await onboarding.decide({ status: 'fail', annotation: LONG });

  const byHand = { kind: 'manual', timestamp: '2026-03-01T12:00:01.000Z', playbook_key: null };
  expect(await onboarding.decisions()).toEqual({
    data: [
      { ...byHand, status: 'fail', annotation: LONG, reviewer_email: null },
      { ...byHand, status: 'pass', annotation: 'ID seen', reviewer_email: 'r@reviewers.example' },
      {
        kind: 'playbook_run',
        status: 'fail',
        timestamp: '2026-03-01T12:00:00.000Z',
        playbook_key: row.playbook_key,
        annotation: null,
        reviewer_email: null,
      },
    ],
    meta: { next_page: null },
  });
  expect((await onboarding.decisions({ page_size: 2 })).meta).toEqual({ next_page: 1 });
  expect(await onboarding.decisions({ page: 1, page_size: 2 })).toMatchObject({
    data: [{ kind: 'playbook_run' }],
    meta: { next_page: null },
  });
});
