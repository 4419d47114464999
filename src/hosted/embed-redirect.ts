/**
 * Navigates to a page of hosted flows, and reads the result that comes back to `redirect_url` (contract §14). A result
 * is read once: its parameters are removed from the address, so that no history entry, reload or copied link contains
 * them.
 */
import { addressOf, type Addressed, type Opened } from './embed-address.ts';

/** Throws TypeError for an invalid token, address or appearance. */
export function leadTo(opened: Opened, options: Addressed): void {
  window.location.assign(addressOf(opened, options).href);
}

/** The query parameters that the page adds, and the form of their tokens. */
const VALIDATION = /^(?:vtok|blit)_[0-9A-Za-z]{1,64}$/;
const INTENT = /^blit_[0-9A-Za-z]{1,64}$/;
const ADDED = ['validation_token', 'intent_token', 'canceled'];

/** The result that the page returned. */
export type Returned =
  | { readonly validation_token: string; readonly intent_token?: string }
  | 'canceled'
  | undefined;

/**
 * Reads the result from the address of the app's page and removes it there. Returns undefined, and leaves the address
 * unchanged, unless there is a result whose validation token begins with `prefix`.
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
