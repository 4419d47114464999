/**
 * One HTTP exchange. It stands on `node:http` rather than got: got takes 70 ms to load (twice the start of Node), of
 * which a command that makes two calls to its own machine uses nothing; `node:http` takes 12.
 *
 * Bodies may stream both ways and are never held whole then. An answer counts only when all of it came.
 */
import { once } from 'node:events';
import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { HEADER_NAME } from '../contract/facts/requests.ts';
import { KIB } from '../kernel/units.ts';
import type { SharedSecret } from '../contract/identity-proof.ts';
import { UnprovenError, UnreachableError, UnsendableError } from './errors.ts';
import { ProvenAgent, TIMED_OUT, type Proven, type ProvenOptions } from './proven-agent.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream goes out in chunks unless `content-length` is among the headers. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Longest silence of the other side. */
  readonly timeoutMs?: number | undefined;
  /** Breaks the exchange off when it fires. */
  readonly signal?: AbortSignal | undefined;
}

export interface KnownRequest extends WireRequest {
  /** The daemon proves by this secret who it is before anything is sent. */
  readonly provenBy?: SharedSecret | undefined;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer whose body is still on its way; it is to be read once, to its end or not at all. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws UnreachableError when it breaks off. */
  readonly body: AsyncIterable<Buffer>;
}

/** A target's headers come back through the proxy, beside ours. */
const HEAD_LIMIT_BYTES = 256 * KIB;
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_SOCKETS = 8;
const HTTP_PORT = 80;

/** The connection stays open between the calls of one command and doesn't keep the process alive. */
const keepAlive = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS });

/** Connections that were proven, kept open as those of `keepAlive` are; by address and secret. */
const provenAgents = new Map<string, ProvenAgent>();

/**
 * Who the daemon at an address is, proven by a secret that it shares with us; the next request goes over the connection
 * that was opened for this. Throws UnprovenError or UnreachableError.
 */
export async function proveDaemon(url: URL, provenBy: SharedSecret, timeoutMs: number): Promise<Proven> {
  return await keptAgent(url, provenBy).prepare({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || HTTP_PORT,
    proofTimeoutMs: timeoutMs,
  });
}

/**
 * Sends a request and reads the whole answer, whatever its status.
 * Throws UnreachableError when there is no complete answer, UnprovenError, and what the stream of a body throws.
 */
export async function send(request: KnownRequest): Promise<WireResponse> {
  const { status, headers, body } = await open(request);
  return { status, headers, body: await wholeBody(body) };
}

/** As `send`, but answers as soon as the head is there. */
export async function open(request: KnownRequest): Promise<OpenResponse> {
  const { url, provenBy, timeoutMs, signal, body } = request;
  if (url.protocol === 'https:') {
    // The certificate proves the name.
    const openRequest = (await import('node:https')).request;
    return await exchangeOnce(openRequest, request, isStreamed(body) ? { agent: false } : {});
  }
  // A streamed body can't be sent twice, so it never goes over a kept connection that may be gone.
  if (isStreamed(body)) return await exchangeOnce(httpRequest, request, freshConnection(request));
  if (provenBy === undefined) return await exchangeOnce(httpRequest, request, { agent: keepAlive });
  const options: ProvenOptions = {
    agent: keptAgent(url, provenBy),
    proofTimeoutMs: timeoutMs,
    proofSignal: signal,
  };
  return await exchangeOnce(httpRequest, request, options);
}

/** A connection that no request had before, and none gets after. */
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

/** Which side has to send now. While this side has nothing to send or doesn't read, the other is not to blame. */
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
        ...(signal && { signal }),
        method: request.method,
        headers: bodyHeaders(request),
        maxHeaderSize: HEAD_LIMIT_BYTES,
      },
      (incoming) => {
        // The reader sees the error, too. Without a listener a break would end the process.
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
      // The other side may close a kept connection while we reuse it; nothing was read of this request then.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') {
        exchangeOnce(openRequest, request, { ...options, ...freshConnection(request) }).then(resolve, reject);
      } else if (error instanceof UnprovenError || error instanceof UnreachableError) reject(error);
      else reject(unreachable(request.url.origin, error));
    });
    if (!isStreamed(body)) outgoing.end(body);
    else {
      // Nothing of it is read for a daemon that is not there or doesn't prove itself: it can be read only once.
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

/** Throws UnsendableError, which repeats no value. */
function requireSendable({ headers }: WireRequest): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw new UnsendableError('A header has a name that HTTP does not allow');
    if (NOT_IN_HEADER.test(value)) {
      throw new UnsendableError(
        `Header ${name} holds a character that HTTP headers cannot carry, such as an emoji or a line end`,
      );
    }
  }
}

/** Sends a body piece by piece until all of it is out, or until an answer or a failure makes the rest pointless. */
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
    // An answer that came before all was sent leaves a connection that nobody needs.
    if (!outgoing.writableFinished) outgoing.destroy();
  }
  if (!incoming.complete) throw unreachable(origin);
}

function unreachable(origin: string, cause?: unknown): UnreachableError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return new UnreachableError(`No answer from ${origin} (${code ?? 'connection broken'})`, { cause });
}

function isStreamed(body: WireRequest['body']): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

function bodyHeaders({ method, headers, body }: WireRequest): Record<string, string | number> {
  // A refusal may come before all is sent. On a connection that is to be closed it would be lost: the other side closes
  // it with unread bytes in it, which takes away what it said last.
  if (isStreamed(body)) return { ...headers, connection: 'keep-alive' };
  if (body === undefined) return method === 'GET' ? { ...headers } : { ...headers, 'content-length': 0 };
  return { ...headers, 'content-length': Buffer.byteLength(body) };
}
