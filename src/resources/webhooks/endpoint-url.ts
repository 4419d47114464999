/** Checks the URL of an endpoint (contract §9.1). */
import { ServiceError } from '../../kernel/errors.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { OutboundFailure, type EgressPolicy, type Outbound } from '../../outbound/index.ts';

/** The longest time that an unresponsive name server delays a registration. */
const JUDGED_WITHIN_MS = 5 * SECOND_MS;

/** Throws `invalid_request` unless it is an http or https URL without credentials and fragment. */
export function readUrl(text: string): URL {
  // The URL parser drops tabs, line ends and surrounding blanks, so they are refused to keep the URL as written.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) throw refusal('is no URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw refusal('is no http or https URL');
  if (url.username !== '' || url.password !== '') throw refusal('may hold no user name and password');
  if (text.includes('#')) throw refusal('may have no fragment');
  return url;
}

/**
 * Throws `invalid_request` when the policy refuses it. A name that doesn't resolve now is accepted, since it may do so
 * later: each delivery is checked again.
 */
export async function requireAllowed(url: URL, outbound: Outbound, policy: EgressPolicy): Promise<void> {
  try {
    await outbound.admit(url, policy, AbortSignal.timeout(JUDGED_WITHIN_MS));
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.kind === 'refused') throw refusal(`is refused: ${error.message}`, error);
  }
}

function refusal(why: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_request', `url ${why}`, { cause });
}
