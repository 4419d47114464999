/** Options and results of the functions of `kyclone/onboarding` (contract §14). */
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
