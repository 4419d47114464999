import { option, string } from '@oclif/core/args';
import { OUTCOMES } from './onboarding-words.ts';

export const onboardingArg = {
  id: string({ description: 'id of the onboarding (ob_…)', required: true }),
};

export const outcomeArg = {
  outcome: option({
    description: `what it comes to: ${OUTCOMES.join(', ')}`,
    options: OUTCOMES,
  })({ required: true }),
};
