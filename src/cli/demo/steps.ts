import { auditSteps } from './audit.ts';
import { bankSteps } from './banks.ts';
import { businessSteps } from './businesses.ts';
import { clientTokenSteps } from './client-tokens.ts';
import { deletionSteps } from './deletion.ts';
import { fileSteps } from './files.ts';
import { findingSteps } from './finding.ts';
import { mischiefSteps } from './mischief.ts';
import { onboardingSteps } from './onboarding.ts';
import { proxySteps } from './proxy.ts';
import { readingSteps } from './reading.ts';
import type { ThirdParty } from './stage.ts';
import type { Step } from './tour.ts';
import { writingSteps } from './writing.ts';

/** The tour, in order. A new part of the service adds its group here; deletion stays last. */
export function tourSteps(party: ThirdParty): readonly Step[] {
  return [
    ...writingSteps,
    ...readingSteps,
    ...businessSteps,
    ...clientTokenSteps,
    ...fileSteps,
    ...findingSteps,
    ...proxySteps(party),
    ...auditSteps,
    ...onboardingSteps(party),
    ...bankSteps,
    ...mischiefSteps,
    ...deletionSteps,
  ];
}
