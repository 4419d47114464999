/**
 * Which pages may read responses, and the headers for them (contract §0.1): token endpoints only, never with
 * credentials.
 */
import type { IncomingMessage } from 'node:http';
import { CLIENT_TOKEN_HEADER } from '../contract/facts/credentials.ts';
import { HEADERS } from '../nouns/requests/facts.ts';

const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/;
const ALLOWED_HEADERS = [CLIENT_TOKEN_HEADER, 'content-type', HEADERS.ignoreLuhn, HEADERS.vaultVersion].join(
  ', ',
);
const EXPOSED_HEADERS = [HEADERS.requestId, HEADERS.vaultVersion].join(', ');
/** Settings may change, so a browser repeats the preflight after ten minutes. */
const PREFLIGHT_SECONDS = '600';

/** Whether a page of this origin may call token endpoints: a loopback one, or one of the setting `cors.origins`. */
export function isPageOrigin(origin: string, configured: readonly string[]): boolean {
  return (
    LOOPBACK_ORIGIN.test(origin) || configured.some((each) => each.toLowerCase() === origin.toLowerCase())
  );
}

/** For every response of a token endpoint, including failures: a page must be able to read the reason. */
export function corsHeaders(origin: string): Record<string, string> {
  return { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS };
}

/** Whether the request is a CORS preflight. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && 'access-control-request-method' in headers;
}

export function preflightHeaders(
  request: IncomingMessage,
  methods: readonly string[],
): Record<string, string> {
  const headers: Record<string, string> = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': PREFLIGHT_SECONDS,
  };
  // A page from the network requests access to a private address.
  if (request.headers['access-control-request-private-network'] === 'true') {
    headers['access-control-allow-private-network'] = 'true';
  }
  return headers;
}
