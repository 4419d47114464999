/**
 * Chooses the credential that a request carries (contract §0.2): the one that its path needs, never two. A request
 * carries none if the path itself is the credential or needs none.
 */
import { CONTROL_PREFIX, DOWNLOAD_PREFIX, OPEN_PATHS } from '../nouns/requests/facts.ts';
import { CLIENT_TOKEN_HEADER, type CallerKind } from '../contract/facts/credentials.ts';
import { MissingCredentialError } from './errors.ts';

/** Which daemon to call, and with which credentials. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** For requests that choose the live key by name. */
  readonly liveApiKey?: string | undefined;
  readonly controlToken?: string | undefined;
  /** The person at the keyboard. The access log records this name beside the credential. */
  readonly operator?: string | undefined;
  /** The last entry of the access log that the user has seen. */
  readonly seen?: number | undefined;
}

/** A credential chosen by name, or an API key itself. It replaces the one that the path needs. */
export type CredentialChoice = Exclude<CallerKind, 'token'> | { readonly apiKey: string };

/** Matches paths with a client token as the last segment. */
const PATH_TOKEN = new RegExp(`^${DOWNLOAD_PREFIX}[^/?]`);

/**
 * The control plane takes the control token. All other paths take the client token from the request's headers, or the
 * API key as the user name of Basic authentication. Throws MissingCredentialError when the required credential is
 * unknown.
 */
export function authorization(
  { path, headers, as }: { path: string; headers: Readonly<Record<string, string>>; as?: CredentialChoice },
  connection: Connection,
): Record<string, string> {
  if (as !== undefined) return chosen(as, connection);
  if (isOpenPath(path) || PATH_TOKEN.test(path)) return {};
  if (path.startsWith(CONTROL_PREFIX)) return bearer(connection.controlToken);
  if (Object.keys(headers).some((name) => name.toLowerCase() === CLIENT_TOKEN_HEADER)) return {};
  return basic(connection.apiKey);
}

/** Whether a path needs no credential, so that it can be called without proof of who the server is. */
export function isOpenPath(path: string): boolean {
  return OPEN_PATHS.includes(path.split('?')[0] ?? '');
}

function chosen(as: CredentialChoice, connection: Connection): Record<string, string> {
  if (typeof as === 'object') return basic(as.apiKey);
  switch (as) {
    case 'none':
      return {};
    case 'control':
      return bearer(connection.controlToken);
    case 'live_key':
      return basic(connection.liveApiKey, 'live API key');
    case 'key':
      return basic(connection.apiKey);
  }
}

function bearer(controlToken: string | undefined): Record<string, string> {
  if (controlToken !== undefined) return { authorization: `Bearer ${controlToken}` };
  throw new MissingCredentialError('No control token is known for this daemon');
}

function basic(apiKey: string | undefined, what = 'API key'): Record<string, string> {
  if (apiKey === undefined) throw new MissingCredentialError(`No ${what} is known for this daemon`);
  return { authorization: `Basic ${Buffer.from(`${apiKey}:`, 'utf8').toString('base64')}` };
}
