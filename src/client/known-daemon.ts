/**
 * Requests to a daemon that has proven who it is: by the control token where that is known, else by the API key. What
 * TLS has proven, and what carries no secret and no data, needs no proof.
 */
import { DOWNLOAD_PREFIX } from '../contract/facts/requests.ts';
import { apiKeySecret, type SharedSecret } from '../contract/identity-proof.ts';
import { isOpenPath, type Connection } from './credentials.ts';
import { MissingCredentialError, StaleControlTokenError, UnprovenError } from './errors.ts';
import { open, proveDaemon, type OpenResponse, type WireRequest } from './transport.ts';

const PROOF_TIMEOUT_MS = 5_000;

/**
 * As `open`. Throws UnprovenError when the daemon doesn't prove itself, StaleControlTokenError when it does so by the
 * API key only and the control token would be sent, MissingCredentialError when there is nothing to prove it by.
 */
export async function openKnown(request: WireRequest, connection: Connection): Promise<OpenResponse> {
  if (request.url.protocol === 'https:') return await open(request);
  const [provenBy, other] = secretsOf(connection);
  if (provenBy === undefined) return await openUnknown(request);
  try {
    return await open({ ...request, provenBy });
  } catch (error) {
    if (!(error instanceof UnprovenError) || other === undefined) throw error;
    if (!carriesControlToken(request)) return await open({ ...request, provenBy: other });
    await proveDaemon(request.url, other, PROOF_TIMEOUT_MS);
    throw new StaleControlTokenError(request.url.host);
  }
}

/** A download token is all that its holder has: nothing proves the daemon then but the address that the user named. */
const DOWNLOAD = new RegExp(`^${DOWNLOAD_PREFIX}[^/]+$`);

async function openUnknown(request: WireRequest): Promise<OpenResponse> {
  const { pathname } = request.url;
  if (isOpenPath(pathname) || DOWNLOAD.test(pathname)) return await open(request);
  throw new MissingCredentialError(
    'Neither API key nor control token is known, so nothing can prove that this is the daemon',
  );
}

/** What the daemon can prove itself by, the better first. */
function secretsOf({ apiKey, liveApiKey, controlToken }: Connection): SharedSecret[] {
  const key = apiKey ?? liveApiKey;
  return [
    ...(controlToken === undefined ? [] : [{ kind: 'control_token', token: controlToken } as const]),
    ...(key === undefined ? [] : [apiKeySecret(key)]),
  ];
}

function carriesControlToken({ headers }: WireRequest): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === 'authorization' && /^bearer /i.test(value),
  );
}
