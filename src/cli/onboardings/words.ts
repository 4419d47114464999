/** The words of the contract that flags and arguments take; the contract's own lists would load the schema library. */
import { option, string } from '@oclif/core/args';
import type { OnboardingStatus, Outcome, PlaybookKind } from '../../contract/shapes.ts';

export const OUTCOMES = [
  'pass',
  'fail',
  'manual_review',
  'step_up',
  'none',
  'error',
  'pending',
] as const satisfies readonly Outcome[];

export const PLAYBOOK_KINDS = ['kyc', 'kyb', 'document'] as const satisfies readonly PlaybookKind[];

/** What an onboarding can be expected to be: a status, or one that a person has to review. */
export const EXPECTATIONS = [
  'pass',
  'fail',
  'none',
  'error',
  'pending',
  'incomplete',
  'manual_review',
] as const satisfies readonly (OnboardingStatus | 'manual_review')[];
export type Expectation = (typeof EXPECTATIONS)[number];

export const TERMINAL: ReadonlySet<OnboardingStatus> = new Set(['pass', 'fail', 'none', 'error']);

export const onboardingArg = {
  id: string({ description: 'id of the onboarding (ob_…)', required: true }),
};

export const outcomeArg = {
  outcome: option({
    description: `what it comes to: ${OUTCOMES.join(', ')}`,
    options: OUTCOMES,
  })({ required: true }),
};
