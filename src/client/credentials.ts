/**
 * Which credential a request carries (contract §0.2): the one its path asks for, never two, and none where the path
 * itself is the credential or nobody asks.
 */
import { MissingCredentialError } from './errors.ts';

/** Which daemon to speak to, and as whom. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly controlToken?: string | undefined;
}

const OPEN = /^\/_kyclone\/(?:health|ready|openapi\.json|docs|form|form\.js)(?:\?|$)/;
/** Its last segment is a client token. */
const PATH_TOKEN = /^\/users\/vault\/decrypt\/[^/?]/;

/**
 * Control plane: the control token. Everything else: the client token among its headers, or the key as the user name
 * of Basic. Throws MissingCredentialError when the one that is needed is not known.
 */
export function authorization(
  { path, headers }: { path: string; headers: Readonly<Record<string, string>> },
  connection: Connection,
): Record<string, string> {
  if (OPEN.test(path) || PATH_TOKEN.test(path)) return {};
  if (path.startsWith('/_kyclone/')) {
    const { controlToken } = connection;
    if (controlToken !== undefined) return { authorization: `Bearer ${controlToken}` };
    throw new MissingCredentialError('No control token is known for this daemon');
  }
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'x-fp-authorization')) return {};
  const { apiKey } = connection;
  if (apiKey === undefined) throw new MissingCredentialError('No API key is known for this daemon');
  return { authorization: `Basic ${Buffer.from(`${apiKey}:`, 'utf8').toString('base64')}` };
}
