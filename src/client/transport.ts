/**
 * One HTTP exchange. It stands on `node:http` rather than got: got takes 70 ms to load (twice the start of Node), of
 * which a command that makes two calls to its own machine uses nothing; `node:http` takes 12.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { UnreachableError } from './errors.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Longest silence of the other side. */
  readonly timeoutMs?: number | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/** The connection stays open between the calls of one command and doesn't keep the process alive. */
const keepAlive = new Agent({ keepAlive: true, maxSockets: 8 });

/**
 * Sends a request and reads the whole answer, whatever its status.
 * Throws UnreachableError when there is no complete answer.
 */
export async function send(request: WireRequest): Promise<WireResponse> {
  const isSecure = request.url.protocol === 'https:';
  const open = isSecure ? (await import('node:https')).request : httpRequest;
  return await exchangeOnce(open, request, isSecure ? {} : { agent: keepAlive });
}

function exchangeOnce(
  open: typeof httpRequest,
  request: WireRequest,
  options: RequestOptions,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    const unreachable = (error: NodeJS.ErrnoException) =>
      reject(
        new UnreachableError(`No answer from ${request.url.origin} (${error.code ?? 'connection broken'})`, {
          cause: error,
        }),
      );
    const outgoing = open(
      request.url,
      { ...options, method: request.method, headers: bodyHeaders(request) },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', unreachable);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    outgoing.setTimeout(request.timeoutMs ?? DEFAULT_TIMEOUT_MS, () =>
      outgoing.destroy(Object.assign(new Error('timed out'), { code: 'timed out' })),
    );
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The other side may close a kept connection while we reuse it; nothing was read of this request then.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') {
        exchangeOnce(open, request, { ...options, agent: false }).then(resolve, reject);
      } else unreachable(error);
    });
    outgoing.end(request.body);
  });
}

function bodyHeaders(request: WireRequest): Record<string, string | number> {
  if (request.body === undefined) {
    return request.method === 'GET' ? { ...request.headers } : { ...request.headers, 'content-length': 0 };
  }
  return { ...request.headers, 'content-length': Buffer.byteLength(request.body) };
}
