/** `kyclone/bank-link`: opens the page where a person links a bank, in an app's own page or in its place (contract §14). */
import type { Opened } from './embed-address.ts';
import type {
  BankLinkOptions,
  BankLinkRedirect,
  BankLinkReturn,
  OpenBankLink,
} from './embed-bank-options.ts';
import { openFrame } from './embed-frame.ts';
import { leadTo, takeReturned } from './embed-redirect.ts';

const PAGE: Opened = {
  page: '/hosted/bank_link',
  title: 'Link your bank',
  tokens: { pattern: /^(?:blit|obtok)_[0-9A-Za-z_]+$/, words: 'a blit_… or obtok_…' },
  isWithCamera: false,
};

/** Opens the page in yours. Throws TypeError for a token, an address or an appearance that isn't one. */
export function openBankLink(options: BankLinkOptions): OpenBankLink {
  const { onSuccess } = options;
  return openFrame(PAGE, {
    ...options,
    // The page calls what it ends with a validation token, whatever it is.
    onComplete: ({ validation_token }) => onSuccess({ intent_token: String(validation_token) }),
  });
}

/**
 * Leaves your page for that of the bank, which comes back to the `redirect_url` of the intent or session. Throws TypeError
 * for a token, an address or an appearance that isn't one.
 */
export function redirectToBankLink(options: BankLinkRedirect): void {
  leadTo(PAGE, options);
}

/**
 * On the page of `redirect_url`: calls what fits how the page of the bank ended, and takes the token out of the address.
 * Returns false, and calls nothing, where the address holds no end.
 */
export function takeBankLinkResult({ onSuccess, onCancel }: BankLinkReturn): boolean {
  const returned = takeReturned('blit_');
  if (returned === undefined) return false;
  if (returned === 'canceled') onCancel?.();
  else onSuccess({ intent_token: returned.validation_token });
  return true;
}
