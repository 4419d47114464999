/** `kyclone/onboarding`: opens the page of a hosted onboarding in an app's own page (contract §14). */
import { openFrame } from './embed-frame.ts';
import type { OnboardingOptions, OpenOnboarding } from './embed-options.ts';

const PAGE = {
  page: '/hosted/onboarding',
  title: 'Verify your identity',
  tokens: { pattern: /^obtok_[0-9A-Za-z_]+$/, words: 'an obtok_…' },
  isWithCamera: true,
} as const;

/** Throws TypeError for a token, an address or an appearance that isn't one. */
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
