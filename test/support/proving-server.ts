/** Servers of a test that give the same proof as a daemon, so that the client sends requests to them. */
import type { RequestListener } from 'node:http';
import {
  apiKeyName,
  apiKeySecret,
  identityProof,
  type SharedSecret,
} from '../../src/contract/identity-proof.ts';
import { loopbackServer, type LoopbackServer, type SeenRequest } from './loopback.ts';

export interface Knowing {
  readonly controlToken?: string | undefined;
  readonly apiKeys?: readonly string[];
  readonly pid?: number;
  readonly instance?: string;
  /** The authority in the proof; by default the requested one. */
  readonly authority?: string;
}

/** Answers requests for a proof with the known secrets, and leaves any other request to `answer`. */
export function proving(knowing: Knowing, answer: RequestListener): RequestListener {
  const { pid = process.pid, instance = 'default' } = knowing;
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const challenge = url.searchParams.get('challenge');
    if (url.pathname !== '/_kyclone/health' || challenge === null) {
      answer(request, response);
      return;
    }
    const secret = secretOf(knowing, url.searchParams.get('key'));
    const authority = knowing.authority ?? request.headers.host ?? '';
    const proof = secret && identityProof(secret, { challenge, pid, instance, authority });
    const body = JSON.stringify({ status: 'ok', nonce: 'n', pid, instance, proof });
    response.setHeader('content-length', Buffer.byteLength(body));
    response.end(body);
  };
}

function secretOf({ controlToken, apiKeys = [] }: Knowing, name: string | null): SharedSecret | undefined {
  if (name !== null) return apiKeys.map(apiKeySecret).find(({ digest }) => apiKeyName(digest) === name);
  return controlToken === undefined ? undefined : { kind: 'control_token', token: controlToken };
}

/** Starts a `loopbackServer` that gives proofs. Its `seen` leaves out requests for a proof. */
export async function provingServer(knowing: Knowing, answer: RequestListener): Promise<LoopbackServer> {
  const server = await loopbackServer(proving(knowing, answer));
  const isOther = ({ url }: SeenRequest) => url?.startsWith('/_kyclone/health?challenge=') !== true;
  return {
    url: server.url,
    port: server.port,
    get seen() {
      return server.seen.filter(isOther);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
