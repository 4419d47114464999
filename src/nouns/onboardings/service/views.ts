/** Onboardings in the form of the API (contract §4.6, §10). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import type { OnboardingRow } from './repository.ts';

export type RunResult = AnswerOf<'POST /businesses/{fp_bid}/kyb'>;
export type OnboardingView = AnswerOf<'GET /onboardings/{id}'>;
export type OnboardingItem = AnswerOf<'GET /users/{fp_id}/onboardings'>['data'][number];

export function runResult(row: OnboardingRow): RunResult {
  const { fp_id, id: onboarding_id, playbook_key, status, requires_manual_review } = row;
  return { fp_id, onboarding_id, playbook_key, status, requires_manual_review };
}

export function onboardingItem(row: OnboardingRow): OnboardingItem {
  const { id, playbook_key, playbook_version, status, requires_manual_review, changed_at } = row;
  const at = timestamp(changed_at);
  return { id, playbook_key, playbook_version, status, requires_manual_review, timestamp: at };
}

/** The members shared by the event and `GET /onboardings/{id}`, except fp_id, is_live and timestamp. */
export function completedMembers(row: OnboardingRow) {
  return {
    status: row.status,
    onboarding_id: row.id,
    requires_manual_review: row.requires_manual_review,
    playbook_key: row.playbook_key,
    playbook_version: row.playbook_version,
    external_id: row.external_id,
    onboarding_external_id: row.onboarding_external_id,
  };
}

export function onboardingView(row: OnboardingRow): OnboardingView {
  return {
    id: row.id,
    ...completedMembers(row),
    fp_id: row.fp_id,
    is_live: row.environment === 'live',
    created_at: timestamp(row.created_at),
    timestamp: timestamp(row.changed_at),
    completed_at: row.completed_at === null ? null : timestamp(row.completed_at),
  };
}

/** For followers of the stream (contract §11). */
export function onboardingNotice({ id, fp_id, playbook_key, status, requires_manual_review }: OnboardingRow) {
  return { id, fp_id, playbook_key, status, requires_manual_review };
}
