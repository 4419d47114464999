/** The outcomes of runs, and who chooses them (contract §4.3, §4.4). */
import { describe, expect } from 'vitest';
import type { Outcome } from '../../../src/nouns/outcomes/facts.ts';
import { aReadyBusiness, aReadyUser } from '../../support/builders.ts';
import {
  advance,
  aPlaybook,
  aRule,
  eventsOfKind,
  onboardingOf,
  refusedResolve,
  resolve,
} from '../../support/runs.ts';
import { failureOf } from '../../support/service.ts';
import { test } from '../../support/test-with.ts';

interface Row {
  readonly outcome: Outcome;
  readonly status: string;
  readonly review: boolean;
  readonly decision: string | null;
  readonly entity: string;
  readonly isOver: boolean;
}

const OPEN = { review: false, decision: null, isOver: false } as const;

/**
 * The table of contract §4.4: the entity's status, the decision, and whether the run is over at once and sends an
 * event.
 */
const TABLE: readonly Row[] = [
  { outcome: 'pass', status: 'pass', review: false, decision: 'pass', entity: 'pass', isOver: true },
  { outcome: 'fail', status: 'fail', review: false, decision: 'fail', entity: 'fail', isOver: true },
  { outcome: 'manual_review', status: 'fail', review: true, decision: 'fail', entity: 'fail', isOver: true },
  { outcome: 'none', status: 'none', review: false, decision: 'none', entity: 'none', isOver: true },
  { outcome: 'error', status: 'error', review: false, decision: null, entity: 'incomplete', isOver: true },
  { ...OPEN, outcome: 'step_up', status: 'incomplete', entity: 'incomplete' },
  { ...OPEN, outcome: 'pending', status: 'pending', entity: 'pending' },
];
/** A business has no documents, so it can't step up. */
const OF_A_BUSINESS: readonly Row[] = TABLE.map((row) =>
  row.outcome === 'step_up'
    ? { outcome: 'step_up', status: 'fail', review: true, decision: 'fail', entity: 'fail', isOver: true }
    : row,
);

describe.each([
  { entity: 'user', table: TABLE, data: aReadyUser() },
  { entity: 'business', table: OF_A_BUSINESS, data: aReadyBusiness() },
] as const)('a $entity', ({ entity, table, data }) => {
  test.eachWith(table)('run: $outcome is as its row of the table', async (service, row) => {
    const onboarding = onboardingOf(service, await service[entity](data));

    const { onboarding_id, ...result } = await onboarding.run({ fixture_result: row.outcome });

    const state = { status: row.status, requires_manual_review: row.review };
    expect(result).toMatchObject(state);
    const now = '2026-03-01T12:00:00.000Z';
    expect(await onboarding.onboarding(onboarding_id)).toMatchObject({
      ...state,
      created_at: now,
      timestamp: now,
      completed_at: row.isOver ? now : null,
    });
    expect(await onboarding.details()).toEqual({ status: row.entity, requires_manual_review: row.review });
    const decided = (await onboarding.decisions()).data.map(({ kind, status }) => ({ kind, status }));
    expect(decided).toEqual(row.decision === null ? [] : [{ kind: 'playbook_run', status: row.decision }]);
    const events = await eventsOfKind(service, 'onboarding.completed');
    expect(events.map(({ onboarding_id: id, ...members }) => [id, members['status']])).toEqual(
      row.isOver ? [[onboarding_id, row.status]] : [],
    );
  });
});

test.eachWith(['pass', 'fail', 'manual_review', 'none', 'error', 'pending'] as const)(
  'run: with a delay %s is pending first, then as its row',
  async (service, outcome) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    const row = TABLE.find((each) => each.outcome === outcome);
    const key = await aPlaybook(service, { delay_ms: 60_000, requirements: [] });

    const { onboarding_id, status } = await onboarding.run({ key, fixture_result: outcome });
    expect(status).toBe('pending');
    expect((await onboarding.details()).status).toBe('pending');
    expect(await advance(service, '59s')).toBe(0);
    expect((await onboarding.onboarding(onboarding_id)).status).toBe('pending');
    expect(await advance(service, '1m')).toBe(outcome === 'pending' ? 0 : 1);

    expect(await onboarding.onboarding(onboarding_id)).toMatchObject({
      status: row?.status,
      requires_manual_review: row?.review,
      completed_at: outcome === 'pending' ? null : '2026-03-01T12:01:00.000Z',
    });
    expect((await onboarding.details()).status).toBe(row?.entity);
    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(outcome === 'pending' ? 0 : 1);
  },
);

describe('choice of the outcome', () => {
  test('run: the call before the rule, the rule before the sandbox id, that before the playbook', async (service) => {
    const made = await service.call('POST /users', {
      headers: { 'x-sandbox-id': 'manualreview-1' },
      body: aReadyUser(),
    });
    const onboarding = onboardingOf(service, made.body.id);
    const key = await aPlaybook(service, { default_outcome: 'error', requirements: [] });
    const rule = await aRule(service, { match: { playbook_key: key }, outcome: 'none', times: 2 });
    const remaining = async () =>
      (await service.call('GET /_kyclone/outcomes/{id}', { params: { id: rule } })).body.remaining;

    expect((await onboarding.run({ key, fixture_result: 'pass' })).status).toBe('pass');
    expect(await remaining()).toBe(2);
    expect((await onboarding.run({ key })).status).toBe('none');
    expect(await remaining()).toBe(1);
    expect((await onboarding.run({ key })).status).toBe('none');
    expect(await onboarding.run({ key })).toMatchObject({ status: 'fail', requires_manual_review: true });
  });

  test.eachWith([
    ['pass-1', 'pass', false],
    ['FAIL', 'fail', false],
    ['failure.2', 'fail', false],
    ['ManualReview', 'fail', true],
    ['stepup7', 'incomplete', false],
    ['error_x', 'error', false],
    ['PENDING', 'pending', false],
    ['xpass', 'none', false],
    ['manual_review', 'none', false],
  ] as const)(
    'run: the sandbox id %s gives %s',
    async (service, sandboxId, status, requires_manual_review) => {
      const { body } = await service.call('POST /users', {
        headers: { 'x-sandbox-id': sandboxId },
        body: {},
      });
      const key = await aPlaybook(service, { default_outcome: 'none', requirements: [] });

      expect(await onboardingOf(service, body.id).run({ key })).toMatchObject({
        status,
        requires_manual_review,
      });
    },
  );

  test('run: otherwise the outcome is the default one of the playbook, or none without rules', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const ruled = await aPlaybook(service, { default_outcome: 'manual_review', requirements: [] });
    expect(await onboarding.run({ key: ruled })).toMatchObject({
      status: 'fail',
      requires_manual_review: true,
    });
    const key = await aPlaybook(service, { has_rules: false, default_outcome: 'pass', requirements: [] });

    expect((await onboarding.run({ key })).status).toBe('none');
    expect((await onboarding.run({ key, fixture_result: 'fail' })).status).toBe('fail');
    const { body } = await service.call('POST /users', { headers: { 'x-sandbox-id': 'error-1' }, body: {} });
    expect((await onboardingOf(service, body.id).run({ key })).status).toBe('error');
  });

  test('run: a rule sees the stored text of an identifier, and its run', async (service) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser({ 'id.last_name': 'Fellow' })));
    await aRule(service, {
      match: { identifier: { name: 'id.last_name', equals: 'fellow' } },
      outcome: 'fail',
    });

    expect((await onboarding.run()).status).toBe('fail');
    await onboarding.write({ 'id.last_name': 'Other' });
    expect((await onboarding.run()).status).toBe('pass');
  });

  test('run: a refused run uses no rule up', async (service) => {
    const onboarding = onboardingOf(service, await service.user({}));
    const rule = await aRule(service, { match: { fp_id: '*' }, outcome: 'fail', times: 1 });

    await onboarding.refusedRun({});

    const { body } = await service.call('GET /_kyclone/outcomes/{id}', { params: { id: rule } });
    expect(body.remaining).toBe(1);
  });
});

test.eachWith([
  { from: 'pending', outcome: 'step_up', status: 'fail', review: true, entity: 'business' },
  { from: 'pending', outcome: 'pass', status: 'pass', review: false },
  { from: 'pending', outcome: 'manual_review', status: 'fail', review: true },
  { from: 'pending', outcome: 'error', status: 'error', review: false },
  { from: 'pending', outcome: 'step_up', status: 'incomplete', review: false },
  { from: 'step_up', outcome: 'fail', status: 'fail', review: false },
  { from: 'step_up', outcome: 'pending', status: 'pending', review: false },
] as const)('resolve: a $from one becomes $outcome ($entity)', async (service, row) => {
  const { from, outcome, status, review } = row;
  const isBusiness = 'entity' in row;
  const onboarding = onboardingOf(
    service,
    isBusiness ? await service.business(aReadyBusiness()) : await service.user(aReadyUser()),
  );
  const { onboarding_id: id } = await onboarding.run({ fixture_result: from });

  const resolved = await resolve(service, id, outcome);

  expect(resolved).toEqual(await onboarding.onboarding(id));
  expect(resolved).toMatchObject({ status, requires_manual_review: review });
  const isOver = status !== 'pending' && status !== 'incomplete';
  expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(isOver ? 1 : 0);
});

test.eachWith(['pass', 'fail', 'none', 'error'] as const)(
  'resolve: one that came to %s is in conflict',
  async (service, fixture_result) => {
    const onboarding = onboardingOf(service, await service.user(aReadyUser()));
    const { onboarding_id: id } = await onboarding.run({ fixture_result });

    const outcomes: Outcome[] = ['pass', 'pending', 'step_up'];
    for (const outcome of outcomes) {
      expect(await refusedResolve(service, id, outcome)).toMatchObject({ status: 409, code: 'conflict' });
    }
    expect(await eventsOfKind(service, 'onboarding.completed')).toHaveLength(1);
  },
);

test('resolve: what it waits for already is an invalid outcome for it', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  for (const outcome of ['pending', 'step_up'] as const) {
    const { onboarding_id: id } = await onboarding.run({ fixture_result: outcome });
    const refusal = await refusedResolve(service, id, outcome);
    expect(refusal).toMatchObject(failureOf(400, 'invalid_request', 'outcome'));
  }
});

test('resolve: an unknown one, and one of a deleted user, is not found', async (service) => {
  const onboarding = onboardingOf(service, await service.user(aReadyUser()));
  const { onboarding_id: id } = await onboarding.run({ fixture_result: 'pending' });
  await onboarding.remove();

  for (const each of ['ob_nobody', id]) {
    for (const outcome of ['pass', 'pending']) {
      expect(await refusedResolve(service, each, outcome)).toMatchObject(failureOf(404, 'not_found'));
    }
  }
  expect((await onboarding.onboarding(id)).status).toBe('pending');
});

test('resolve: takes a delay away', async (service) => {
  const onboarding = onboardingOf(service, await service.user({}));
  const key = await aPlaybook(service, { delay_ms: 60_000, requirements: [] });
  const { onboarding_id: id } = await onboarding.run({ key });

  await resolve(service, id, 'fail');

  expect(await advance(service, '2m')).toBe(0);
  expect((await onboarding.onboarding(id)).status).toBe('fail');
});
