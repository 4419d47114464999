import { expect } from 'vitest';
import { decide } from '../../../src/nouns/entities/screen/cases.ts';
import type { Subject } from '../../../src/tui/state/model.ts';
import { aReadyBusiness, aReadyUser } from '../../support/builders.ts';
import { onboardingOf } from '../../support/runs.ts';
import { noticeOf, sourceOf, test } from './a-source.ts';

const VALUES = { status: 'fail', annotation: 'the address is a mail drop' };

test.eachWith(['user', 'business'] as const)(
  'decide: the decision of a %s is there, with all of it',
  async ({ service }, kind) => {
    const source = await sourceOf(service, { operator: 'Zoë Desk' });
    const fp_id =
      kind === 'user' ? await service.user(aReadyUser()) : await service.business(aReadyBusiness());
    // Without an onboarding there is nothing to decide.
    await onboardingOf(service, fp_id).run({ fixture_result: 'manual_review' });

    const outcome = await decide.perform(source, { kind, fp_id }, VALUES);

    expect(noticeOf(outcome)).toBe('good: Decided: fail');
    expect(outcome).toMatchObject({ changes: true });
    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
    expect(body).toMatchObject({
      status: 'fail',
      decisions: [{ ...VALUES, kind: 'manual', reviewer_email: 'Zoë Desk' }, {}],
    });
  },
);

test('decide: the question says whom, what, why and by whom', () => {
  const subject: Subject = { kind: 'user', fp_id: 'fp_id_1' };
  expect(decide.confirm(subject, { ...VALUES, operator: 'Zoë Desk' })).toEqual([
    'fp_id_1 gets the status fail by hand. Its onboardings keep their status.',
    'The annotation is “the address is a mail drop”; the reviewer is Zoë Desk.',
    'If a review is open, it ends. Webhook endpoints may get the event user.manual_review.',
  ]);
});
