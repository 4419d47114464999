/**
 * Sends requests only to a daemon that has proven its identity, with the control token if it is known, or else with
 * the API key. Requests over TLS need no proof, nor do requests without secrets and data.
 */
import { DOWNLOAD_PREFIX } from '../nouns/requests/facts.ts';
import { apiKeySecret, type SharedSecret } from '../contract/identity-proof.ts';
import { isOpenPath, type Connection } from './credentials.ts';
import { MissingCredentialError, StaleControlTokenError, UnprovenError } from './errors.ts';
import { open, proveDaemon, type OpenResponse, type WireRequest } from './transport.ts';

const PROOF_TIMEOUT_MS = 5_000;

/**
 * Like `open`. Throws UnprovenError when the daemon doesn't prove itself. Throws StaleControlTokenError when it can
 * prove itself with the API key only and the request needs the control token. Throws MissingCredentialError when no
 * secret is known to check the proof.
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

/**
 * A download token is the only secret its holder has, so the daemon cannot prove itself. The user vouches for the
 * address.
 */
const DOWNLOAD = new RegExp(`^${DOWNLOAD_PREFIX}[^/]+$`);

async function openUnknown(request: WireRequest): Promise<OpenResponse> {
  const { pathname } = request.url;
  if (isOpenPath(pathname) || DOWNLOAD.test(pathname)) return await open(request);
  throw new MissingCredentialError(
    'Neither the API key nor the control token is known, so nothing can prove that this is the daemon',
  );
}

/** The secrets that the daemon can prove itself with, the stronger first. */
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
