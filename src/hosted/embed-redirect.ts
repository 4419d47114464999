/**
 * Leads the app's window to a page of hosted flows, and takes what the page brought back to `redirect_url` (contract §14).
 * A result is taken once: its members leave the address, so that no entry of the history, no reload and no link that is
 * copied holds them.
 */
import { addressOf, type Addressed, type Opened } from './embed-address.ts';

/** Throws TypeError for a token, an address or an appearance that isn't one. */
export function leadTo(opened: Opened, options: Addressed): void {
  window.location.assign(addressOf(opened, options).href);
}

/** The members of a query that the page adds, and the form of the tokens among them. */
const VALIDATION = /^(?:vtok|blit)_[0-9A-Za-z]{1,64}$/;
const INTENT = /^blit_[0-9A-Za-z]{1,64}$/;
const ADDED = ['validation_token', 'intent_token', 'canceled'];

/** What the page brought back. */
export type Returned =
  | { readonly validation_token: string; readonly intent_token?: string }
  | 'canceled'
  | undefined;

/**
 * What is in the address of the app's page, which is there no more afterwards. Undefined, and an address left as it was,
 * where the page brought nothing whose validation token begins with `prefix`.
 */
export function takeReturned(prefix: 'vtok_' | 'blit_'): Returned {
  const address = new URL(window.location.href);
  const { searchParams } = address;
  const token = searchParams.get('validation_token');
  const intent = searchParams.get('intent_token');
  const isCanceled = token === null && searchParams.get('canceled') === 'true';
  if (!isCanceled && !(token?.startsWith(prefix) && VALIDATION.test(token))) return undefined;
  for (const name of ADDED) searchParams.delete(name);
  window.history.replaceState(window.history.state, '', address.href);
  if (token === null) return 'canceled';
  return { validation_token: token, ...(intent !== null && INTENT.test(intent) && { intent_token: intent }) };
}
