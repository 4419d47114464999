/** One request over one connection that is ready: nothing is retried, nothing is followed, nothing is kept. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { codeOf, inWords } from './failures.ts';
import { OutboundFailure } from './outbound.ts';
import type { RequestHead } from './request-head.ts';
import { alertIn } from './tls-failures.ts';

const HEAD_LIMIT_BYTES = 64 * 1024;
/** First byte of a TLS alert, which is what a TLS server says to a request in the clear. */
const TLS_ALERT = 0x15;

export interface Circumstances {
  /** `host:port`. */
  readonly target: string;
  readonly isSecure: boolean;
  readonly showsCertificate: boolean;
}

/**
 * The head of the final answer, status 200 to 599; 1xx are passed over. Its body is to be read from it; it fails with
 * what broke the connection. Throws OutboundFailure.
 */
export function exchangeHeads(
  socket: Socket,
  { method, path, headers, body }: RequestHead,
  circumstances: Circumstances,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const fail = (cause: unknown): void => {
      if (answer === undefined) reject(asFailure(cause, circumstances));
      // What comes after a whole answer is of no concern.
      else if (!answer.complete) answer.destroy(cause as Error);
    };
    const request = httpRequest({
      createConnection: () => socket,
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
      // Before its body is read: one without a listener would end the process.
      response.on('error', () => undefined);
      const refusal = headRefusal(response);
      if (refusal === undefined) resolve(response);
      else reject(protocolFailure(circumstances, refusal, { status: response.statusCode }));
    });
    if (body === undefined || body instanceof Uint8Array) request.end(body);
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
  options: { cause?: unknown; status?: number | undefined } = {},
): OutboundFailure {
  return new OutboundFailure('unreachable', `${target} ${what}`, options);
}

function asFailure(cause: unknown, circumstances: Circumstances): OutboundFailure {
  const { target, isSecure, showsCertificate } = circumstances;
  const code = codeOf(cause) ?? 'ECONNRESET';
  const alert = alertIn(cause, circumstances);
  if (alert !== undefined) return new OutboundFailure('unreachable', alert, { cause });
  // Without its cause, which holds bytes of the answer.
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
