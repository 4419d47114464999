/** Sends one request over one open connection: no retry, no redirect, no keep-alive. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { codeOf, inWords } from './failures.ts';
import { handedOn } from './answer-headers.ts';
import { withLenientHead } from './lenient-head.ts';
import { OutboundFailure } from './outbound.ts';
import type { RequestHead } from './request-head.ts';
import { alertIn } from './tls-failures.ts';

const HEAD_LIMIT_BYTES = 64 * 1024;
/** First byte of a TLS alert, the response of a TLS server to a plain-text request. */
const TLS_ALERT = 0x15;

export interface Circumstances {
  /** `host:port`. */
  readonly target: string;
  readonly isSecure: boolean;
  readonly showsCertificate: boolean;
}

/**
 * The head of the final response, status 200 to 599; 1xx responses are skipped. The caller reads the body from it,
 * which fails with the error that broke the connection. Throws OutboundFailure.
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
      // Errors after a complete response don't matter.
      else if (!answer.complete) answer.destroy(cause as Error);
    };
    const request = httpRequest({
      createConnection: () => withLenientHead(socket, HEAD_LIMIT_BYTES),
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
  options: ConstructorParameters<typeof OutboundFailure>[2] = {},
): OutboundFailure {
  return new OutboundFailure('unreachable', `${target} ${what}`, options);
}

function asFailure(cause: unknown, circumstances: Circumstances): OutboundFailure {
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
