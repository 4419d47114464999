/**
 * `kyclone/bank-link`: opens the page for linking a bank, embedded in an app's page or instead of it (contract §14).
 */
import { BANK_PAGE } from './embed-address.ts';
import { openFrame } from './embed-frame.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';
import type { Appearance } from './embed-appearance.ts';
import type { L10n } from './embed-language.ts';

export interface BankLinkOptions {
  /**
   * From your server: the token of an intent (`blit_…`), or of a session on a playbook with `bank_link` (`obtok_…`).
   */
  readonly token: string;
  /** Where the service listens, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** The element that contains the page and grows with it. Without it the page opens in a dialog. */
  readonly container?: Element;
  readonly appearance?: Appearance;
  /** English unless its `language`, else its `locale`, is Spanish. */
  readonly l10n?: L10n;
  /** The person entered the one-time code, which a session requires. */
  readonly onAuth?: () => void;
  /** The person agreed: your server sends the token to `POST /bank_links`. A dialog closes by itself. */
  readonly onSuccess: (result: { readonly intent_token: string }) => void;
  /** The person left before the end. The same token opens the page again until it expires. */
  readonly onCancel?: () => void;
  /** The page can't continue, or the bank doesn't respond; `message` is the text that it shows. */
  readonly onError?: (error: { readonly message: string }) => void;
  /** The frame or dialog was removed, for whatever reason. Called once, as the last callback. */
  readonly onClose?: () => void;
}

export interface OpenBankLink {
  /** Removes the frame or dialog. Afterwards only `onClose` is called, once. */
  close(): void;
}

export interface BankLinkRedirect {
  /** As in `BankLinkOptions`, for an intent or session created with `redirect_url`. */
  readonly token: string;
  readonly baseUrl: string;
  readonly appearance?: Appearance;
  /** English unless its `language`, else its `locale`, is Spanish. */
  readonly l10n?: L10n;
}

export interface BankLinkReturn {
  /** The person agreed: your server sends the token to `POST /bank_links`. */
  readonly onSuccess: (result: { readonly intent_token: string }) => void;
  /** The person left before the end. */
  readonly onCancel?: () => void;
}

/** Opens the page inside yours. Throws TypeError for an invalid token, address or appearance. */
export function openBankLink(options: BankLinkOptions): OpenBankLink {
  const { onSuccess } = options;
  return openFrame(BANK_PAGE, {
    ...options,
    // The page sends every final token as a validation token.
    onComplete: ({ validation_token }) => onSuccess({ intent_token: String(validation_token) }),
  });
}

/**
 * Navigates to the page for linking a bank, which returns to the `redirect_url` of the intent or session. Throws
 * TypeError for an invalid token, address or appearance.
 */
export function redirectToBankLink(options: BankLinkRedirect): void {
  leadTo(BANK_PAGE, options);
}

/**
 * Call it on the page of `redirect_url`: it calls the callback for the result and removes the token from the address.
 * Returns false, without a callback, if the address has no result.
 */
export function takeBankLinkResult({ onSuccess, onCancel }: BankLinkReturn): boolean {
  const returned = takeReturned('blit_');
  if (returned === undefined) return false;
  if (returned === 'canceled') onCancel?.();
  else onSuccess({ intent_token: returned.validation_token });
  return true;
}
