/** Sends one request to an admitted destination and reads the response (contract §3.3). */
import { readFileSync } from 'node:fs';
import { isUint8Array } from 'node:util/types';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import * as tls from 'node:tls';
import { attempt } from '../kernel/attempt.ts';
import { defined } from '../kernel/defined.ts';
import { realTime, startStopwatch } from '../kernel/time/real-time.ts';
import { canonicalAddress, classOf } from './egress-check.ts';
import { readAnswerBody, handedOn, LenientHead } from './answer.ts';
import { authoritiesOf, alertIn, type Circumstances, tlsHandshake, nameOf, portOf } from './tls.ts';
import { beforeDeadline, timedOut, codeOf, inWords, withNotes } from './failures.ts';
import {
  type ConnectionNotes,
  type Destination,
  type Outbound,
  type OutboundContext,
  OutboundFailure,
  type OutgoingRequest,
  type TargetAnswer,
  type TlsChoices,
} from './outbound.ts';

// Builds the head of a request, before a connection is opened. Any part that could inject a line is refused.

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 §5.5. Text must have one byte per character. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set here from the actual request. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
]);
const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Methods that send `content-length: 0` when there is no body (RFC 9110 §8.6). */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Throws OutboundFailure `refused`, which doesn't name the header. */
function requestHead(url: URL, { method, headers, body }: OutgoingRequest) {
  if (!TOKEN.test(method) || method === 'CONNECT') throw refused('method');
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || OWN_HEADERS.has(name.toLowerCase())) throw refused('header name');
    if (!FIELD_VALUE.test(value)) throw refused('header value');
  }
  const sent = METHODS_WITHOUT_BODY.has(method) ? undefined : body;
  const length = sent?.byteLength ?? (METHODS_WITH_BODY.has(method) ? 0 : undefined);
  return {
    method,
    path: url.pathname + url.search,
    /** In the order they are sent. */
    headers: {
      host: url.host,
      ...headers,
      ...defined({ 'content-length': length?.toString() }),
      connection: 'close',
    },
    body: sent,
  };
}

function refused(part: string): OutboundFailure {
  return new OutboundFailure('refused', `The request has a ${part} that can't be sent`);
}

// Sends one request over one open connection: no retry, no redirect, no keep-alive.

const HEAD_LIMIT_BYTES = 64 * 1024;
/** First byte of a TLS alert, the response of a TLS server to a plain-text request. */
const TLS_ALERT = 0x15;

interface Exchange extends Circumstances {
  readonly isSecure: boolean;
}

/**
 * The head of the final response, status 200 to 599; 1xx responses are skipped. The caller reads the body from it,
 * which fails with the error that broke the connection. Throws OutboundFailure.
 */
function exchangeHeads(
  socket: Socket,
  { method, path, headers, body }: ReturnType<typeof requestHead>,
  circumstances: Exchange,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const fail = (cause: unknown): void => {
      if (answer === undefined) reject(asFailure(cause, circumstances));
      // Errors after a complete response don't matter.
      else if (!answer.complete) answer.destroy(cause as Error);
    };
    const request = httpRequest({
      createConnection: () => new LenientHead(socket, HEAD_LIMIT_BYTES),
      method,
      path,
      headers,
      setHost: false,
      maxHeaderSize: HEAD_LIMIT_BYTES,
      insecureHTTPParser: false,
    });
    request.on('error', fail);
    request.on('close', () => fail(undefined));
    request.maxHeadersCount = 0;
    request.on('upgrade', ({ statusCode }) =>
      reject(protocolFailure(circumstances, 'switches to another protocol', { status: statusCode })),
    );
    request.on('response', (response) => {
      answer = response;
      // Before the body is read: an unhandled error event would end the process.
      response.on('error', () => undefined);
      const refusal = headRefusal(response);
      if (refusal === undefined) resolve(response);
      else {
        const { statusCode: status } = response;
        reject(protocolFailure(circumstances, refusal, { status, headers: handedOn(response) }));
      }
    });
    if (body === undefined || isUint8Array(body)) request.end(body);
    else pipeline(Readable.from(body.pieces(), { objectMode: false }), request, () => undefined);
  });
}

function headRefusal({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  if (statusCode < 200 || statusCode > 599) return 'answers with a status that is none';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    return 'answers in a transfer encoding other than chunked';
  }
  return undefined;
}

function protocolFailure(
  { target }: Circumstances,
  what: string,
  options: ConstructorParameters<typeof OutboundFailure>[2] = {},
): OutboundFailure {
  return new OutboundFailure('unreachable', `${target} ${what}`, options);
}

function asFailure(cause: unknown, circumstances: Exchange): OutboundFailure {
  const { target, isSecure, showsCertificate } = circumstances;
  const code = codeOf(cause) ?? 'ECONNRESET';
  const alert = alertIn(cause, circumstances);
  if (alert !== undefined) return new OutboundFailure('unreachable', alert, { cause });
  // Without the cause, which holds bytes of the response.
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new OutboundFailure(
      'too_large',
      `The head of the answer is larger than ${HEAD_LIMIT_BYTES} bytes`,
    );
  }
  if (code.startsWith('HPE_')) {
    const isTls = !isSecure && (cause as { rawPacket?: Buffer }).rawPacket?.[0] === TLS_ALERT;
    const what = isTls ? 'speaks TLS, but the URL says http' : 'answers with no HTTP/1.1';
    return protocolFailure(circumstances, `${what} (${code})`);
  }
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    const hint = showsCertificate
      ? 'it may not accept the client certificate'
      : `it may want ${isSecure ? 'a client certificate' : 'https'}`;
    return protocolFailure(circumstances, `closed the connection before it answered (${code}); ${hint}`, {
      cause,
    });
  }
  const message = `The connection to ${target} failed: ${inWords(cause)}`;
  return new OutboundFailure('unreachable', message, { cause });
}

// Connects to one of the checked addresses and to nothing else: no name is resolved here. The addresses are tried in
// order. The next attempt starts as soon as one fails or has not connected for a while (RFC 8305), so that an
// unreachable address family costs little. The first connection wins, the others are closed.

const NEXT_ADDRESS_AFTER_MS = 250;

/** Throws OutboundFailure `unreachable` or `timeout`, and then leaves no socket open. */
async function openConnection({ url, addresses }: Destination, signal: AbortSignal) {
  const waiting = [...addresses];
  const sockets = new Set<Socket>();
  let failed = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Tries no further address, and closes every other socket. */
  const end = (winner?: Socket): void => {
    realTime.clearTimeout(timer);
    waiting.length = 0;
    for (const socket of sockets) if (socket !== winner) socket.destroy();
  };
  const first = new Promise<{ socket: Socket; address: string }>((resolve, reject) => {
    const tryNext = (): void => {
      realTime.clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) return;
      const socket = connect({ host: address, port: portOf(url), noDelay: true });
      sockets.add(socket);
      // Stays for the life of the socket: an unhandled error event would end the process.
      socket.on('error', (cause) => {
        failed++;
        const message = `${nameOf(url)} can't be reached: ${inWords(cause, 'no connection')}`;
        if (failed === addresses.length) reject(new OutboundFailure('unreachable', message, { cause }));
        else tryNext();
      });
      socket.once('connect', () => {
        end(socket);
        const message = `${nameOf(url)} was answered by an address that was not judged`;
        if (isPeer(socket, address)) resolve({ socket, address });
        else reject(new OutboundFailure('refused', message));
      });
      if (waiting.length > 0) timer = realTime.setTimeout(tryNext, NEXT_ADDRESS_AFTER_MS);
    };
    tryNext();
  });
  try {
    return await beforeDeadline(first, { signal, what: `${nameOf(url)} was not connected to` });
  } catch (error) {
    end();
    throw error;
  }
}

/** Whether the system connected to the intended address. An unspecified address stands for a loopback one. */
function isPeer({ remoteAddress = '' }: Socket, address: string): boolean {
  if (classOf(address).kind === 'unspecified') return classOf(remoteAddress).kind === 'loopback';
  return canonicalAddress(remoteAddress) === canonicalAddress(address);
}

export type Send = Outbound['send'];

/** `realNow`: epoch milliseconds, for the dates of pinned certificates. */
export function createSender({ realNow }: Pick<OutboundContext, 'realNow'>): Send {
  const contextFor = secureContexts();
  return async (destination, request, { signal, maxBodyBytes }) => {
    const elapsed = startStopwatch();
    const { url } = destination;
    const isSecure = url.protocol === 'https:';
    let socket: Socket | undefined;
    let connection: ConnectionNotes | undefined;
    let status: number | undefined;
    let headers: TargetAnswer['headers'] | undefined;
    try {
      const head = requestHead(url, request);
      const context = isSecure ? contextFor(request.tls) : undefined;
      if (signal.aborted) throw timedOut(`${nameOf(url)} was not connected to`);
      const open = await openConnection(destination, signal);
      const { address } = open;
      socket = open.socket;
      connection = { address, msConnect: elapsed(), wasSent: false };
      if (context) {
        const options = { url, choices: request.tls, context, now: realNow(), signal };
        const handshake = await tlsHandshake(socket, options);
        socket = handshake.socket;
        connection = { address, msConnect: elapsed(), wasSent: false, tls: handshake.notes };
        if (handshake.refusal !== undefined) throw new OutboundFailure('unreachable', handshake.refusal);
      }
      const circumstances = {
        target: nameOf(url),
        isSecure,
        showsCertificate: isSecure && request.tls.client !== undefined,
      };
      connection = { ...connection, wasSent: true };
      const answer = await beforeDeadline(exchangeHeads(socket, head, circumstances), {
        signal,
        what: `${nameOf(url)} did not answer`,
      });
      status = answer.statusCode ?? 0;
      headers = handedOn(answer);
      const { bytes, codings, remarks } = await beforeDeadline(
        readAnswerBody(answer, { method: head.method, maxBytes: maxBodyBytes }),
        { signal, what: `${nameOf(url)} did not finish its answer` },
      );
      return {
        status,
        headers: codings.length === 0 ? headers : { ...headers, 'content-encoding': codings.join(', ') },
        body: bytes,
        remarks,
        connection,
        msTotal: elapsed(),
      };
    } catch (error) {
      throw withNotes(error, { connection, status, headers, msTotal: elapsed() });
    } finally {
      // Destroy the TLS socket, which closes the one below. In the other order Node 20 writes to freed memory.
      socket?.destroy();
    }
  };
}

// The certificates of a TLS connection: trusted roots or pins, and the client certificate.

/** Available in Node from 22.15. */
interface CertificateStores {
  readonly getCACertificates?: (type: 'default' | 'system') => readonly string[];
}

/**
 * Creates a context for each connection. Reading all roots takes some 50 ms, so the context of the last extra roots is
 * cached. A context with a client's key never is.
 */
function secureContexts() {
  let kept: { readonly roots: string; readonly context: tls.SecureContext } | undefined;
  return (choices: TlsChoices): tls.SecureContext => {
    if (choices.pins.length > 0 || choices.client) return createContext(choices);
    const roots = choices.extraRoots.join('\n');
    if (kept?.roots !== roots) kept = { roots, context: createContext(choices) };
    return kept.context;
  };
}

/**
 * Throws OutboundFailure `unreachable` when a certificate or key is unusable. Node ignores a root that is no
 * certificate.
 */
function createContext({ pins, client, extraRoots }: TlsChoices): tls.SecureContext {
  try {
    return tls.createSecureContext({
      minVersion: 'TLSv1.2',
      ...(client && { cert: client.certificate, key: client.key }),
      ...(pins.length > 0
        ? // Without this, Node before 20.18 refuses a pinned intermediate because its root is missing.
          { ca: authoritiesOf(pins).map(String), allowPartialTrustChain: true }
        : roots(extraRoots)),
    });
  } catch (cause) {
    const what = client ? 'The client certificate and its key' : 'The trusted certificates';
    const code = codeOf(cause) ?? '';
    throw new OutboundFailure('unreachable', `${what} can't be used${code && ` (${code})`}`, { cause });
  }
}

/** Empty when Node's default, which is loaded already, is sufficient. */
function roots(extraRoots: readonly string[]): { ca?: string[] } {
  const { getCACertificates } = tls as CertificateStores;
  if (getCACertificates) {
    return {
      ca: [...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...extraRoots])],
    };
  }
  if (extraRoots.length === 0) return {};
  // Node's default has them, too. It ignores a file that it can't read.
  const given = attempt(() => readFileSync(process.env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')) ?? '';
  return { ca: [...tls.rootCertificates, given, ...extraRoots] };
}
