/**
 * `kyclone/bank-link`: opens the page for linking a bank, embedded in an app's page or instead of it (contract §14).
 */
import { BANK_PAGE } from './embed-address.ts';
import { openFrame } from './embed-frame.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';
import type { AddressOptions, OpenPage, PageOptions } from './embed-appearance.ts';

export interface BankLinkOptions extends PageOptions {
  /**
   * From your server: the token of an intent (`blit_…`), or of a session on a playbook with `bank_link` (`obtok_…`).
   */
  readonly token: string;
  /** The person agreed: your server sends the token to `POST /bank_links`. A dialog closes by itself. */
  readonly onSuccess: (result: { readonly intent_token: string }) => void;
}

export type OpenBankLink = OpenPage;
/** For an intent or session created with `redirect_url`. */
export type BankLinkRedirect = Pick<BankLinkOptions, AddressOptions>;
export type BankLinkReturn = Pick<BankLinkOptions, 'onSuccess' | 'onCancel'>;

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
