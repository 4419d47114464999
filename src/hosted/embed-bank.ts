/** `kyclone/bank-link`: opens the page where a person links a bank in an app's own page (contract §14). */
import type { BankLinkOptions, OpenBankLink } from './embed-bank-options.ts';
import { openFrame } from './embed-frame.ts';

const PAGE = {
  page: '/hosted/bank_link',
  title: 'Link your bank',
  tokens: { pattern: /^(?:blit|obtok)_[0-9A-Za-z_]+$/, words: 'a blit_… or obtok_…' },
  isWithCamera: false,
} as const;

/** Throws TypeError for a token, an address or an appearance that isn't one. */
export function openBankLink(options: BankLinkOptions): OpenBankLink {
  const { onSuccess } = options;
  return openFrame(PAGE, {
    ...options,
    // The page calls what it ends with a validation token, whatever it is.
    onComplete: ({ validation_token }) => onSuccess({ intent_token: String(validation_token) }),
  });
}
