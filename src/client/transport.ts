/**
 * One HTTP exchange. It uses `node:http` and not got: got takes 70 ms to load (twice the start time of Node) and
 * `node:http` takes 12. A command that makes two local calls needs none of got's features.
 *
 * Bodies may stream in both directions and are then never held whole. A response counts only when it is complete.
 */
import { once } from 'node:events';
import {
  Agent,
  request as nodeRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { HEADER_NAME } from '../nouns/requests/facts.ts';
import { KIB } from '../kernel/numbers/units.ts';
import type { SharedSecret } from '../contract/identity-proof.ts';
import { UnprovenError, unreachable, UnreachableError, UnsendableError } from './errors.ts';
import { ProvenAgent, TIMED_OUT, type Proven, type ProvenOptions } from './proven-agent.ts';
import { defined } from '../kernel/defined.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent in chunks unless the headers contain `content-length`. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Longest time without data from the server. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the exchange when it fires. */
  readonly signal?: AbortSignal | undefined;
}

export interface KnownRequest extends WireRequest {
  /** The secret with which the daemon must prove its identity before anything is sent. */
  readonly provenBy?: SharedSecret | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A response whose body is still arriving. The body can be read once, to its end or not at all. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws UnreachableError when the connection breaks. */
  readonly body: AsyncIterable<Buffer>;
}

/** As it was when this module was loaded: interceptors in a user's tests replace it later (docs/test-library.md). */
const httpRequest = nodeRequest;
/** Large, because a target's headers come back through the proxy beside ours. */
const HEAD_LIMIT_BYTES = 256 * KIB;
const DEFAULT_TIMEOUT_MS = 120_000;
const LONGEST_TIMEOUT_MS = 2_147_483_647;
const MAX_SOCKETS = 8;
const HTTP_PORT = 80;

/** The connection stays open between the calls of one command and doesn't keep the process alive. */
const keepAlive = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

/** Proven connections, kept open like those of `keepAlive`; by address and secret. */
const provenAgents = new Map<string, ProvenAgent>();

/**
 * Returns the identity that the daemon at an address proves with a shared secret. The next request reuses this
 * connection. Throws UnprovenError or UnreachableError.
 */
export async function proveDaemon(url: URL, provenBy: SharedSecret, timeoutMs: number): Promise<Proven> {
  return await keptAgent(url, provenBy).prepare({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || HTTP_PORT,
    proofTimeoutMs: timeoutMs,
  });
}

/**
 * Sends a request, and returns as soon as the head of the response has arrived, whatever its status. Throws
 * UnreachableError when there is none, UnprovenError, and any error of the body stream.
 */
export async function open(request: KnownRequest): Promise<OpenResponse> {
  const { url, provenBy, timeoutMs, signal, body } = request;
  if (url.protocol === 'https:') {
    // The certificate proves the identity of the server.
    const openRequest = (await import('node:https')).request;
    return await exchangeOnce(openRequest, request, isStreamed(body) ? { agent: false } : {});
  }
  // A streamed body can't be sent twice, so it never uses a kept connection, which the server may have closed.
  if (isStreamed(body)) return await exchangeOnce(httpRequest, request, freshConnection(request));
  if (provenBy === undefined) return await exchangeOnce(httpRequest, request, { agent: keepAlive });
  const options: ProvenOptions = {
    agent: keptAgent(url, provenBy),
    proofTimeoutMs: timeoutMs,
    proofSignal: signal,
  };
  return await exchangeOnce(httpRequest, request, options);
}

/** A connection for one request only. */
function freshConnection({ url, provenBy, timeoutMs, signal }: KnownRequest): ProvenOptions {
  if (provenBy === undefined) return { agent: false };
  const agent = new ProvenAgent({ authority: url.host, secret: provenBy }, {});
  return { agent, proofTimeoutMs: timeoutMs, proofSignal: signal };
}

function keptAgent(url: URL, secret: SharedSecret): ProvenAgent {
  const name = `${url.host} ${secret.kind === 'api_key' ? Buffer.from(secret.digest).toString('hex') : secret.token}`;
  let agent = provenAgents.get(name);
  if (agent === undefined) {
    agent = new ProvenAgent({ authority: url.host, secret }, { keepAlive: true, maxSockets: MAX_SOCKETS });
    provenAgents.set(name, agent);
  }
  return agent;
}

export async function wholeBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Which side has to send now. While this side has nothing to send or doesn't read, silence is not the server's fault.
 */
interface Turn {
  isOurs: boolean;
}

function exchangeOnce(
  openRequest: typeof httpRequest,
  request: KnownRequest,
  options: RequestOptions,
): Promise<OpenResponse> {
  const { body, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = request;
  const turn: Turn = { isOurs: false };
  return new Promise((resolve, reject) => {
    requireSendable(request);
    const outgoing = openRequest(
      request.url,
      {
        ...options,
        ...defined({ signal }),
        method: request.method,
        headers: bodyHeaders(request),
        maxHeaderSize: HEAD_LIMIT_BYTES,
      },
      (incoming) => {
        // The reader gets this error too. Without a listener it would end the process.
        incoming.on('error', () => undefined);
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: readBody(incoming, { outgoing, origin: request.url.origin, turn }),
        });
      },
    );
    outgoing.setTimeout(timeoutMs);
    outgoing.on('timeout', () => {
      if (turn.isOurs) outgoing.socket?.setTimeout(timeoutMs);
      else outgoing.destroy(Object.assign(new Error('timed out'), { code: TIMED_OUT }));
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close a kept connection while we reuse it. It has read nothing of this request then.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') {
        exchangeOnce(openRequest, request, { ...options, ...freshConnection(request) }).then(resolve, reject);
      } else if (error instanceof UnprovenError || error instanceof UnreachableError) reject(error);
      else reject(unreachable(request.url.origin, error));
    });
    if (!isStreamed(body)) outgoing.end(body);
    else {
      // The body can be read only once, so reading starts only when the daemon is there and has proven itself.
      outgoing.once('socket', () => {
        writeBody(outgoing, body, turn).catch((error: unknown) => {
          reject(error instanceof Error ? error : new Error('the body cannot be read', { cause: error }));
          outgoing.destroy();
        });
      });
    }
  });
}

const NOT_IN_HEADER = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws UnsendableError, which contains no value, and TypeError for a time that no timer takes. */
function requireSendable({ headers, timeoutMs = 0 }: WireRequest): void {
  if (!(typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
    throw new TypeError(`timeoutMs must be a number of milliseconds from 0 to ${LONGEST_TIMEOUT_MS}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new UnsendableError('A header has a name that HTTP does not allow');
    if (NOT_IN_HEADER.test(value)) {
      throw new UnsendableError(
        `Header ${name} holds a character that HTTP headers cannot carry, such as an emoji or a line end`,
      );
    }
  }
}

/** Sends a body piece by piece, until it is complete or a response or failure makes the rest pointless. */
async function writeBody(
  outgoing: ClientRequest,
  content: AsyncIterable<Uint8Array>,
  turn: Turn,
): Promise<void> {
  const over = new AbortController();
  for (const event of ['response', 'error', 'close']) outgoing.once(event, () => over.abort());
  const { signal } = over;
  try {
    turn.isOurs = true;
    for await (const chunk of content) {
      turn.isOurs = false;
      if (signal.aborted) return;
      if (!outgoing.write(chunk)) await once(outgoing, 'drain', { signal });
      turn.isOurs = true;
    }
    outgoing.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    turn.isOurs = false;
  }
}

async function* readBody(
  incoming: IncomingMessage,
  { outgoing, origin, turn }: { outgoing: ClientRequest; origin: string; turn: Turn },
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      turn.isOurs = true;
      yield chunk;
      turn.isOurs = false;
    }
  } catch (error) {
    throw unreachable(origin, error);
  } finally {
    // A response that came before the whole body was sent leaves the connection unusable.
    if (!outgoing.writableFinished) outgoing.destroy();
  }
  if (!incoming.complete) throw unreachable(origin);
}

function isStreamed(body: WireRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function bodyHeaders({ method, headers, body }: WireRequest): Record<string, string | number> {
  // The server may refuse the request before the whole body is sent. With `connection: close` it would close the
  // connection with unread bytes in it, and the response would be lost.
  if (isStreamed(body)) return { ...headers, connection: 'keep-alive' };
  if (body === undefined) return method === 'GET' ? { ...headers } : { ...headers, 'content-length': 0 };
  return { ...headers, 'content-length': Buffer.byteLength(body) };
}
