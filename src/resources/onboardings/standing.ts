/**
 * Finds the onboarding that a flow continues, or whose result the flow returns (contract §14). Call it within a write
 * job.
 */
import type { Database } from '../../storage/database.ts';
import type { EntityRow } from '../entities/index.ts';
import type { PlaybookRow } from '../playbooks/index.ts';
import { findStanding, type OnboardingRow } from './repository.ts';
import { adoptOnboarding, isUnderWay } from './sessions-repository.ts';
import type { OnboardingRequest } from './sessions-request.ts';

interface Flow {
  readonly playbook: PlaybookRow;
  readonly request: OnboardingRequest;
}

/** The onboarding that the flow goes on with, or whose result stands for it. */
export function takenUp(
  database: Database,
  { id }: EntityRow,
  { playbook, request }: Flow,
): string | undefined {
  const at = { entity: id, playbook_key: playbook.key };
  return adopted(database, findStanding(database, at, request.allow_reonboard === true), request);
}

/** The incomplete onboarding of flows that are over, for a run without a flow. */
export function abandoned(
  database: Database,
  { id }: EntityRow,
  { playbook, request, now }: Flow & { readonly now: number },
): string | undefined {
  const left = findStanding(database, { entity: id, playbook_key: playbook.key }, true);
  const isHeld = left !== undefined && isUnderWay(database, { onboarding: left.id, now });
  return isHeld ? undefined : adopted(database, left, request);
}

/** Returns the id. One that is incomplete gets the external id of the request that goes on with it. */
function adopted(
  database: Database,
  onboarding: OnboardingRow | undefined,
  request: OnboardingRequest,
): string | undefined {
  if (onboarding?.status === 'incomplete') {
    adoptOnboarding(database, onboarding.id, request.onboarding_external_id ?? null);
  }
  return onboarding?.id;
}
