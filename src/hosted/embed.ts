/**
 * `kyclone/onboarding`: opens the page of a hosted onboarding, embedded in an app's page or instead of it (contract
 * §14).
 */
import { ONBOARDING_PAGE } from './embed-address.ts';
import { openFrame } from './embed-frame.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';
import type { AddressOptions, OpenPage, PageOptions } from './embed-appearance.ts';

/** The result of an onboarding. */
export interface OnboardingResult {
  /** Your server validates it. */
  readonly validation_token: string;
  /** If the playbook asks for a bank: the token for `POST /bank_links`. */
  readonly intent_token?: string;
}

export interface OnboardingOptions extends PageOptions {
  /** The token of `POST /onboarding/session`, `POST /users/{fp_id}/token` or a step-up (`obtok_…`), from your server. */
  readonly token: string;
  /** The person finished: your server validates the token. A dialog closes by itself. */
  readonly onComplete: (result: OnboardingResult) => void;
}

export type OpenOnboarding = OpenPage;
/** For a session created with `redirect_url`. */
export type OnboardingRedirect = Pick<OnboardingOptions, AddressOptions>;
export type OnboardingReturn = Pick<OnboardingOptions, 'onComplete' | 'onCancel'>;

/** Opens the page inside yours. Throws TypeError for an invalid token, address or appearance. */
export function openOnboarding(options: OnboardingOptions): OpenOnboarding {
  const { onComplete } = options;
  return openFrame(ONBOARDING_PAGE, {
    ...options,
    onComplete({ validation_token, intent_token }) {
      onComplete({
        validation_token: String(validation_token),
        ...(typeof intent_token === 'string' && { intent_token }),
      });
    },
  });
}

/**
 * Navigates to the page of the onboarding, which returns to the `redirect_url` of the session. Throws TypeError for an
 * invalid token, address or appearance.
 */
export function redirectToOnboarding(options: OnboardingRedirect): void {
  leadTo(ONBOARDING_PAGE, options);
}

/**
 * Call it on the page of `redirect_url`: it calls the callback for the result and removes the tokens from the address.
 * Returns false, without a callback, if the address has no result.
 */
export function takeOnboardingResult({ onComplete, onCancel }: OnboardingReturn): boolean {
  const returned = takeReturned('vtok_');
  if (returned === undefined) return false;
  if (returned === 'canceled') onCancel?.();
  else onComplete(returned);
  return true;
}
