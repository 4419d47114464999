/** What the functions of `kyclone/onboarding` take and return (contract §14). */
import type { Appearance } from './embed-appearance.ts';

/** How an onboarding ends. */
export interface OnboardingResult {
  /** For your server, which validates it. */
  readonly validation_token: string;
  /** Where the playbook asks for a bank: what `POST /bank_links` takes. */
  readonly intent_token?: string;
}

export interface OnboardingOptions {
  /** The token of `POST /onboarding/session`, `POST /users/{fp_id}/token` or a step-up (`obtok_…`), from your server. */
  readonly token: string;
  /** Where the service listens, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** The page is put in here, as high as it is; without one it opens in a dialog over yours. */
  readonly container?: Element;
  readonly appearance?: Appearance;
  /** The person gave the one-time code. */
  readonly onAuth?: () => void;
  /** The person is through: your server validates the token. A dialog closes by itself. */
  readonly onComplete: (result: OnboardingResult) => void;
  /** The person left before the end. The same token opens the flow again until it expires. */
  readonly onCancel?: () => void;
  /** The page shows why it can't go on; `message` is what it says. */
  readonly onError?: (error: { readonly message: string }) => void;
  /** The frame or dialog is gone, for whatever reason. Called once, last. */
  readonly onClose?: () => void;
}

export interface OpenOnboarding {
  /** Takes the frame or dialog away. Nothing is called afterwards but `onClose`, once. */
  close(): void;
}

export interface OnboardingRedirect {
  /** As in `OnboardingOptions`, of a session that was made with `redirect_url`. */
  readonly token: string;
  readonly baseUrl: string;
  readonly appearance?: Appearance;
}

export interface OnboardingReturn {
  /** The person is through: your server validates the token. */
  readonly onComplete: (result: OnboardingResult) => void;
  /** The person left before the end. */
  readonly onCancel?: () => void;
}
