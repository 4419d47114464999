/** `kyclone/onboarding`: opens the page of a hosted onboarding, in an app's own page or in its place (contract §14). */
import type { Opened } from './embed-address.ts';
import { openFrame } from './embed-frame.ts';
import type {
  OnboardingOptions,
  OnboardingRedirect,
  OnboardingReturn,
  OpenOnboarding,
} from './embed-options.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';

const PAGE: Opened = {
  page: '/hosted/onboarding',
  title: 'Verify your identity',
  tokens: { pattern: /^obtok_[0-9A-Za-z_]+$/, words: 'an obtok_…' },
  isWithCamera: true,
};

/** Opens the page in yours. Throws TypeError for a token, an address or an appearance that isn't one. */
export function openOnboarding(options: OnboardingOptions): OpenOnboarding {
  const { onComplete } = options;
  return openFrame(PAGE, {
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
 * Leaves your page for that of the onboarding, which comes back to the `redirect_url` of the session. Throws TypeError for a
 * token, an address or an appearance that isn't one.
 */
export function redirectToOnboarding(options: OnboardingRedirect): void {
  leadTo(PAGE, options);
}

/**
 * On the page of `redirect_url`: calls what fits how the onboarding ended, and takes the tokens out of the address. Returns
 * false, and calls nothing, where the address holds no end.
 */
export function takeOnboardingResult({ onComplete, onCancel }: OnboardingReturn): boolean {
  const returned = takeReturned('vtok_');
  if (returned === undefined) return false;
  if (returned === 'canceled') onCancel?.();
  else onComplete(returned);
  return true;
}
