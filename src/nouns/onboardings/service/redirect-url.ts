/** Checks the redirect target of a hosted flow's page (contract §14). Pure. */
import { LOOPBACK_HOSTS } from '../../requests/facts.ts';
import { invalid } from '../../../kernel/errors.ts';

const HTTP = /^https?:\/\//i;
const LOOPBACK: ReadonlySet<string> = new Set(LOOPBACK_HOSTS);
/** Characters that URL parsers silently drop or replace. */
const BLANK_OR_CONTROL = /[\s\p{Cc}\\]/u;

/**
 * Throws `invalid_request` unless it is an http or https URL without fragment and credentials, and its host is loopback
 * or, including its port, that of an origin in the setting `cors.origins`.
 */
export function requireRedirectUrl(text: string, origins: readonly string[]): void {
  const url = HTTP.test(text) && !BLANK_OR_CONTROL.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url) throw refused('must be an http or https URL');
  if (text.includes('#')) throw refused('must have no fragment');
  if (url.username !== '' || url.password !== '') throw refused('must have no user name and password');
  if (LOOPBACK.has(url.hostname) || origins.some((origin) => new URL(origin).host === url.host)) return;
  throw refused(
    'must lead to a loopback host or to the host of an origin in the setting cors.origins: kyclone config set cors.origins',
  );
}

function refused(why: string): Error {
  return invalid(`redirect_url ${why}`);
}
