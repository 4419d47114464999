/** Lists of onboardings (contract §0.9, §10). */
import { expect } from 'vitest';
import { aReadyBusiness, aReadyUser, KYC } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { test } from '../../support/test-with.ts';

test('GET /users/{fp_id}/onboardings: newest first, incomplete ones left out', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { onboarding_id: first } = await onboarding.run({ fixture_result: 'manual_review' });
  service.clock.advance(1_000);
  const { onboarding_id: second } = await onboarding.run({ fixture_result: 'pending' });
  service.clock.advance(1_000);
  await onboarding.run({ fixture_result: 'step_up' });

  const common = { playbook_key: KYC, playbook_version: 1, requires_manual_review: false };
  expect(await onboarding.list()).toEqual({
    data: [
      { ...common, id: second, status: 'pending', timestamp: '2026-03-01T12:00:01.000Z' },
      {
        ...common,
        id: first,
        status: 'fail',
        requires_manual_review: true,
        timestamp: '2026-03-01T12:00:00.000Z',
      },
    ],
    meta: { next_page: null },
  });
});

test.eachWith(['user', 'business'] as const)(
  'GET onboardings of a %s: pages count from 0, and one beyond the end is empty',
  async (service, entity) => {
    const data = entity === 'user' ? aReadyUser() : aReadyBusiness();
    const onboarding = onboardingOf(service, await service[entity](data));
    const ids: string[] = [];
    for (let each = 0; each < 5; each++) {
      service.clock.advance(1);
      ids.unshift((await onboarding.run()).onboarding_id);
    }
    const page = async (query: { page?: number; page_size?: number }) => {
      const { data: items, meta } = await onboarding.list(query);
      return { ids: items.map(({ id }) => id), next: meta.next_page };
    };

    expect(await page({ page_size: 2 })).toEqual({ ids: ids.slice(0, 2), next: 1 });
    expect(await page({ page: 1, page_size: 2 })).toEqual({ ids: ids.slice(2, 4), next: 2 });
    expect(await page({ page: 2, page_size: 2 })).toEqual({ ids: ids.slice(4), next: null });
    expect(await page({ page_size: 5 })).toEqual({ ids, next: null });
    for (const beyond of [3, 999_999_999_999_999]) {
      expect(await page({ page: beyond, page_size: 2 })).toEqual({ ids: [], next: null });
    }
  },
);
