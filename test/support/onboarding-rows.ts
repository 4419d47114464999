import type { OnboardingStatus } from '../../src/nouns/onboardings/facts.ts';
import type { TestService } from './service.ts';

let made = 0;

/** Inserts an onboarding as a run leaves it, for tests that read onboardings. Returns its id. */
export function anOnboarding(
  service: TestService,
  row: { fp_id: string; playbook_key: string; status: OnboardingStatus },
): string {
  const id = `ob_${String(++made).padStart(22, '0')}`;
  const isTerminal = row.status !== 'incomplete' && row.status !== 'pending';
  const now = service.clock.now();
  service.database
    .prepare(
      `INSERT INTO onboardings (id, space, entity, fp_id, playbook_key, playbook_kind, playbook_version, status,
         created_at, changed_at, completed_at)
       SELECT @id, space, id, fp_id, @playbook_key, 'kyc', 1, @status, @now, @now, @completed_at
       FROM entities WHERE fp_id = @fp_id`,
    )
    .run({ ...row, id, now, completed_at: isTerminal ? now : null });
  return id;
}
