import { expect } from 'vitest';
import { decide } from '../../../src/nouns/entities/screen/cases.ts';
import type { EntityKind, Subject } from '../../../src/tui/state/model.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import type { TestService } from '../../support/service.ts';
import { noticeOf, sourceOf, test } from './a-source.ts';

const VALUES = { status: 'fail', annotation: 'the address is a mail drop' };

/** Makes an entity with an onboarding in review. Without an onboarding there is nothing to decide. */
async function onboarded(service: TestService, kind: EntityKind): Promise<string> {
  const fixture_result = 'manual_review';
  if (kind === 'user') {
    const fp_id = await service.user(aReadyUser());
    const body = { key: KYC, fixture_result } as const;
    await service.call('POST /users/{fp_id}/kyc', { params: { fp_id }, body });
    return fp_id;
  }
  const fp_bid = await service.business(aReadyBusiness());
  const body = { key: KYB, fixture_result } as const;
  await service.call('POST /businesses/{fp_bid}/kyb', { params: { fp_bid }, body });
  return fp_bid;
}

test.eachWith(['user', 'business'] as const)(
  'decide: the decision of a %s is there, with all of it',
  async ({ service }, kind) => {
    const source = await sourceOf(service, { operator: 'Zoë Desk' });
    const fp_id = await onboarded(service, kind);

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
