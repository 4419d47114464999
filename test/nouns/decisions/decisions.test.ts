/** Lists of decisions, and what is stored of manual ones (contract §2.18, §4.4). */
import { expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYB, KYC, onboardingOf } from '../../support/runs.ts';
import { test } from '../../support/test-with.ts';

test.eachWith([
  { entity: 'user', data: aReadyUser(), playbook_key: KYC },
  { entity: 'business', data: aReadyBusiness(), playbook_key: KYB },
] as const)('GET decisions of a $entity: newest first, by playbook and by hand', async (service, row) => {
  const onboarding = onboardingOf(service, await service[row.entity](row.data));
  await onboarding.run({ fixture_result: 'manual_review' });
  await onboarding.run({ fixture_result: 'error' });
  service.clock.advance(1_000);
  await onboarding.decide({ status: 'pass', annotation: 'ID seen', reviewer_email: 'r@reviewers.example' });
  await onboarding.decide({ status: 'fail', annotation: 'On second thought' });

  const byHand = { kind: 'manual', timestamp: '2026-03-01T12:00:01.000Z', playbook_key: null };
  expect(await onboarding.decisions()).toEqual({
    data: [
      { ...byHand, status: 'fail', annotation: 'On second thought', reviewer_email: null },
      { ...byHand, status: 'pass', annotation: 'ID seen', reviewer_email: 'r@reviewers.example' },
      {
        ...{ kind: 'playbook_run', status: 'fail', timestamp: '2026-03-01T12:00:00.000Z' },
        ...{ playbook_key: row.playbook_key, annotation: null, reviewer_email: null },
      },
    ],
    meta: { next_page: null },
  });
});

test('GET decisions: pages count from 0, and one beyond the end is empty; 2,000 characters are a note', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  await onboarding.run();
  const long = 'x'.repeat(2_000);
  for (const annotation of [long, 'two', 'three']) await onboarding.decide({ annotation });
  const page = async (query: { page?: number; page_size?: number }) => {
    const { data, meta } = await onboarding.decisions(query);
    return { notes: data.map(({ annotation }) => annotation), next: meta.next_page };
  };

  expect(await page({ page_size: 3 })).toEqual({ notes: ['three', 'two', long], next: 1 });
  expect(await page({ page: 1, page_size: 3 })).toEqual({ notes: [null], next: null });
  expect(await page({ page: 2, page_size: 3 })).toEqual({ notes: [], next: null });
  expect(await page({ page_size: 4 })).toMatchObject({ next: null });
});
