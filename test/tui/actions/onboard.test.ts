import { expect } from 'vitest';
import { OUTCOMES } from '../../../src/nouns/outcomes/facts.ts';
import { onboard } from '../../../src/nouns/entities/screen/actions.ts';
import type { Subject } from '../../../src/tui/state/model.ts';
import { aReadyBusiness, aReadyUser, KYB, KYC } from '../../support/builders.ts';
import { LIVE_KEY } from '../../support/service.ts';
import { choicesOf, chosen, noticeOf, sourceOf, test } from './a-source.ts';

/** The statuses of contract §4.4: an onboarding with its outcome. */
test.eachWith([
  ['user', 'manual_review', 'warn', 'fail, to be reviewed', 'fail'],
  ['user', 'step_up', 'warn', 'incomplete', 'incomplete'],
  ['user', 'pending', 'warn', 'pending', 'pending'],
  ['business', 'pass', 'good', 'pass', 'pass'],
  ['business', 'step_up', 'warn', 'fail, to be reviewed', 'fail'],
] as const)(
  'onboard: a %s run has the outcome %s',
  async ({ service, source }, kind, outcome, tone, text, status) => {
    const isUser = kind === 'user';
    const fp_id = isUser ? await service.user(aReadyUser()) : await service.business(aReadyBusiness());
    const subject: Subject = { kind, fp_id };
    const values = await chosen('onboard', source, subject, { outcome });

    const result = await onboard.perform(source, subject, values);

    const { body } = await service.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id } });
    const [onboarding] = body.onboardings;
    expect(onboarding?.playbook_key).toBe(isUser ? KYC : KYB);
    expect(noticeOf(result)).toBe(`${tone}: Onboarding ${onboarding?.id}: ${text}`);
    expect(result).toMatchObject({ changes: true });
    expect(body.status).toBe(status);
  },
);

test('onboard: the outcomes are those of the contract, and what is decided without choosing', async ({
  service,
  source,
}) => {
  const fp_id = await service.user(aReadyUser());
  await service.call('POST /_kyclone/outcomes', { body: { match: { fp_id }, outcome: 'fail' } });
  const subject: Subject = { kind: 'user', fp_id };

  const outcomes = await choicesOf('onboard', source, subject, 'outcome');
  expect(outcomes.map(({ value }) => value.split(' ')[0])).toEqual([...OUTCOMES, 'as_decided']);
  const values = await chosen('onboard', source, subject, { outcome: 'as_decided' });
  expect(onboard.confirm(subject, values)[1]).toBe('Outcome rules and the playbook decide the outcome.');

  expect(noticeOf(await onboard.perform(source, subject, values))).toMatch(/: fail$/);
});

test('onboard: playbooks are those that run for it', async ({ service, source }) => {
  await service.call('POST /_kyclone/playbooks', {
    body: { name: 'Papers', kind: 'document', key: 'pb_test_papers' },
  });
  const labels = async (kind: 'user' | 'business') =>
    (await choicesOf('onboard', source, { kind, fp_id: 'fp_id_1' }, 'playbook')).map(({ label }) => label);

  expect(await labels('user')).toEqual([
    'Papers (document, version 1, pb_test_papers)',
    expect.stringContaining(KYC),
  ]);
  expect(await labels('business')).toEqual([expect.stringContaining(KYB)]);
});

test('onboard: the question names the playbook and the outcome, and what else happens', async ({
  service,
  source,
}) => {
  const subject: Subject = { kind: 'user', fp_id: await service.user(aReadyUser()) };
  const values = await chosen('onboard', source, subject, { outcome: 'manual_review' });
  const { name } = (await service.call('GET /_kyclone/playbooks/{key}', { params: { key: KYC } })).body;

  expect(onboard.confirm(subject, { ...values, operator: 'Ada' })).toEqual([
    `${subject.kind === 'user' ? subject.fp_id : ''} is run through playbook ${name} (${KYC}).`,
    'Its outcome is fail, and a person has to review it.',
    'Its result, if it has one, becomes the status, also in place of a decision by hand.',
    'This can create decisions, risk signals and events, and send events to webhook endpoints.',
    'The access log has it with the name Ada.',
  ]);
});

test('onboard: where there is one already it asks what then', async ({ service, source }) => {
  const subject: Subject = { kind: 'user', fp_id: await service.user(aReadyUser()) };
  const again = async () =>
    (await choicesOf('onboard', source, subject, 'again')).map(({ value, label }) => [value, label]);
  expect(await again()).toEqual([['yes', 'None exists yet']]);
  await onboard.perform(source, subject, await chosen('onboard', source, subject, { outcome: 'fail' }));

  expect(await again()).toEqual([
    ['yes', 'Run it again; the newest of 1 is fail'],
    ['no', 'Refuse'],
  ]);
  const refused = await chosen('onboard', source, subject, { again: 'no' });
  expect(onboard.confirm(subject, refused).at(-2)).toBe(
    'The run is refused if the user already has an onboarding on this playbook.',
  );
  await expect(onboard.perform(source, subject, refused)).rejects.toMatchObject({
    status: 409,
    code: 'T122',
  });
  const repeated = await chosen('onboard', source, subject, { again: 'yes' });
  expect(noticeOf(await onboard.perform(source, subject, repeated))).toMatch(/^good: .*: pass$/);
});

test('onboard: in live no outcome can be chosen, and it says so', async ({ service }) => {
  const source = await sourceOf(service, { environment: 'live' });
  const subject: Subject = { kind: 'user', fp_id: await service.user(aReadyUser(), LIVE_KEY) };

  expect(await choicesOf('onboard', source, subject, 'outcome')).toEqual([
    { value: 'as_decided', label: 'as the playbook decides: only the sandbox lets you choose' },
  ]);
  const values = await chosen('onboard', source, subject);
  expect(values['playbook']).toMatch(/^pb_live_/);
  expect(noticeOf(await onboard.perform(source, subject, values))).toMatch(/^good: .*: pass$/);
});
