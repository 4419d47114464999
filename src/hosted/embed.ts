/**
 * `kyclone/onboarding`: opens the page of a hosted onboarding, embedded in an app's page or instead of it (contract
 * §14).
 */
import { ONBOARDING_PAGE } from './embed-address.ts';
import { openFrame } from './embed-frame.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';
import type { Appearance } from './embed-appearance.ts';
import type { L10n } from './embed-language.ts';

/** The result of an onboarding. */
export interface OnboardingResult {
  /** Your server validates it. */
  readonly validation_token: string;
  /** If the playbook asks for a bank: the token for `POST /bank_links`. */
  readonly intent_token?: string;
}

export interface OnboardingOptions {
  /** The token of `POST /onboarding/session`, `POST /users/{fp_id}/token` or a step-up (`obtok_…`), from your server. */
  readonly token: string;
  /** Where the service listens, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** The element that contains the page and grows with it. Without it the page opens in a dialog. */
  readonly container?: Element;
  readonly appearance?: Appearance;
  /** English unless its `language`, else its `locale`, is Spanish. */
  readonly l10n?: L10n;
  /** The person entered the one-time code. */
  readonly onAuth?: () => void;
  /** The person finished: your server validates the token. A dialog closes by itself. */
  readonly onComplete: (result: OnboardingResult) => void;
  /** The person left before the end. The same token opens the flow again until it expires. */
  readonly onCancel?: () => void;
  /** The page can't continue; `message` is the text that it shows. */
  readonly onError?: (error: { readonly message: string }) => void;
  /** The frame or dialog was removed, for whatever reason. Called once, as the last callback. */
  readonly onClose?: () => void;
}

export interface OpenOnboarding {
  /** Removes the frame or dialog. Afterwards only `onClose` is called, once. */
  close(): void;
}

export interface OnboardingRedirect {
  /** As in `OnboardingOptions`, for a session created with `redirect_url`. */
  readonly token: string;
  readonly baseUrl: string;
  readonly appearance?: Appearance;
  /** English unless its `language`, else its `locale`, is Spanish. */
  readonly l10n?: L10n;
}

export interface OnboardingReturn {
  /** The person finished: your server validates the token. */
  readonly onComplete: (result: OnboardingResult) => void;
  /** The person left before the end. */
  readonly onCancel?: () => void;
}

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
