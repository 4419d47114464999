import { auditSteps } from './audit.ts';
import { bankSteps } from './banks.ts';
import { businessSteps } from './businesses.ts';
import { clientTokenSteps } from './client-tokens.ts';
import { fileSteps } from './files.ts';
import { findingSteps } from './finding.ts';
import { mischiefSteps } from './mischief.ts';
import { onboardingSteps } from './onboarding.ts';
import { proxySteps } from './proxy.ts';
import { readingSteps } from './reading.ts';
import type { ThirdParty } from './stage.ts';
import { type Step, fact, status } from './tour.ts';
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

export const deletionSteps: readonly Step[] = [
  {
    title: 'Deleting a user destroys the key of its vault',
    request: (facts) => ({ method: 'DELETE', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
  {
    title: 'After that there is nobody to ask about',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(404, 'not_found')],
  },
  {
    title: 'What was read before stays on record',
    request: () => ({ method: 'GET', path: '/_kyclone/access-log/verify' }),
    claims: [status(200), { says: 'the chain still holds', holds: ({ body }) => body['ok'] === true }],
  },
];
