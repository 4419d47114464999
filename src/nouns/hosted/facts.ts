/** Words of the pages of hosted flows (contract §10, §14). */
import { USER_FLOWS } from '../onboardings/facts.ts';

/** How a person authenticated in a hosted flow. */
export const AUTH_KINDS = ['sms', 'email', 'passkey'] as const;
/** States of a flow on its page. `waiting`: the run will ask for a document after its delay; the flow then goes on. */
export const FLOW_STATES = ['open', 'waiting', 'completed', 'closed'] as const;
/** Channels for one-time codes. */
export const CODE_KINDS = ['email', 'sms'] as const;
/** The purposes of a hosted page. */
export const HOSTED_FLOWS = ['onboard', ...USER_FLOWS, 'bank_link'] as const;
/** The fixed one-time code of hosted flows, and the number of allowed attempts (contract §14). */
export const HOSTED_CODE = '000000';
export const HOSTED_CODE_TRIES = 5;
/** Paths of the pages of hosted flows (contract §14). */
export const HOSTED_PATHS = {
  onboarding: '/hosted/onboarding',
  bankLink: '/hosted/bank_link',
  vault: '/hosted/vault',
  script: '/hosted/flow.js',
  session: '/hosted/session',
  browserScript: '/hosted/browser.js',
  browserSession: '/hosted/browser/session',
} as const;
