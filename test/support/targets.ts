/** Real servers on loopback that receive the daemon's outgoing requests and record them. */
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

/** A request as the target received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, in the order of the request. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The subject of the caller's certificate, such as `CN=caller`. */
  readonly clientCertificate?: string;
}

/** Answers a request. The server waits for the result. */
export type TargetHandler = (request: ReceivedRequest, response: ServerResponse) => unknown;

export interface TargetOptions {
  /** Turns the target into an https server. The certificate may be followed by its intermediates. */
  readonly tls?: TlsIdentity;
  /** The handler; by default it answers 200 and `{"ok":true}`. */
  readonly handler?: TargetHandler;
  /**
   * The PEM of the authority that must have issued the caller's certificate. Without such a certificate the handshake
   * fails.
   */
  readonly requireClientCertificate?: string;
  /** The address to listen on; by default 127.0.0.1. */
  readonly host?: string;
}

/** A certificate and its key as PEM. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly key: string;
  readonly maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
}

export type Target = Awaited<ReturnType<typeof startTarget>>;

/** Starts an HTTP or HTTPS server on a free port. `https://localhost:${port}` reaches one with TLS by name, too. */
export async function startTarget(options: TargetOptions = {}) {
  const { tls, handler = answerOk, requireClientCertificate, host = '127.0.0.1' } = options;
  const requests: ReceivedRequest[] = [];
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    void received(message).then(async (request) => {
      if (request === undefined) return;
      requests.push(request);
      await handler(request, response);
    });
  };
  const server = tls
    ? createHttpsServer(
        {
          ...tlsOptions(tls),
          ...(requireClientCertificate !== undefined && {
            ca: requireClientCertificate,
            requestCert: true,
            rejectUnauthorized: true,
          }),
        },
        listener,
      )
    : createHttpServer(listener);
  const listening = await listen(server, host);
  const url = `${tls ? 'https' : 'http'}://${inUrl(host)}:${listening.port}`;
  return Object.assign(listening, { url, requests });
}

export interface RawScript {
  /** The answer. Its pieces are sent one after another, and nothing is added. */
  readonly answer?: string | Buffer | readonly (string | Buffer)[];
  /** When the answer is sent: after the head and the bytes that it announces (the default), or at the first byte. */
  readonly after?: 'request' | 'first byte';
  /**
   * What follows the answer: the end of the stream (the default), a reset (with TLS a close without notice), or
   * nothing.
   */
  readonly then?: 'end' | 'reset' | 'silence';
  readonly tls?: TlsIdentity;
  /** Is called for each connection, before a byte of it is read. */
  readonly onConnection?: () => void;
}

/**
 * Starts a TCP or TLS server on a free port. It records exactly what it receives, and answers according to its script.
 */
export async function startRawTarget(script: RawScript = {}) {
  const { answer = [], after = 'request', then = 'end', tls, onConnection } = script;
  const pieces = typeof answer === 'string' || Buffer.isBuffer(answer) ? [answer] : answer;
  /** The bytes of each connection. With TLS they are the decrypted bytes. */
  const received: Buffer[] = [];
  const talk = (socket: Socket): void => {
    onConnection?.();
    const index = received.push(Buffer.alloc(0)) - 1;
    let hasAnswered = false;
    // Some tests let the caller disconnect in the middle.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const bytes = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
      received[index] = bytes;
      if (hasAnswered || (after === 'request' && !isWhole(bytes))) return;
      hasAnswered = true;
      void sendPieces(socket, pieces).then(() => {
        if (then === 'end') socket.end();
        if (then === 'reset') breakOff(socket);
      });
    });
  };
  const server = tls ? createTlsServer(tlsOptions(tls), talk) : createTcpServer(talk);
  const listening = await listen(server, '127.0.0.1');
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${listening.port}`;
  return Object.assign(listening, { url, received });
}

/** Returns a handler that answers with this JSON. */
export function jsonTarget(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string | string[]> } = {},
): TargetHandler {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

const answerOk = jsonTarget({ ok: true });

function tlsOptions({ certificate, key, maxVersion }: TlsIdentity): TlsOptions {
  if (maxVersion === undefined) return { cert: certificate, key };
  // OpenSSL allows versions before 1.2 only at its lowest security level.
  const isOld = maxVersion === 'TLSv1.1';
  return {
    cert: certificate,
    key,
    minVersion: 'TLSv1',
    maxVersion,
    ...(isOld && { ciphers: 'ALL@SECLEVEL=0' }),
  };
}

/** Reads a request. Returns undefined when the caller disconnected before the request was complete. */
async function received(message: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const body = await buffer(message).catch(() => undefined);
  if (body === undefined) return undefined;
  const certificate = clientCertificate(message.socket);
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers,
    rawHeaders: message.rawHeaders,
    body,
    ...(certificate !== undefined && { clientCertificate: certificate }),
  };
}

function clientCertificate(socket: Socket): string | undefined {
  return (socket as Partial<TLSSocket>).getPeerX509Certificate?.()?.subject;
}

/** Checks whether the head and the body that it announces have arrived. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /^content-length: *(\d+)/im.exec(bytes.subarray(0, end).toString('latin1'))?.[1] ?? 0;
  return bytes.length >= end + 4 + Number(length);
}

/** Breaks the connection off. Node cannot reset a connection with TLS, so such a socket is destroyed. */
function breakOff(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

async function sendPieces(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
  }
}

async function listen(server: Server, host: string) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // The caller may refuse the certificate, or may have none itself.
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    /** The number of connections that were opened, with or without a request. */
    get connections() {
      return connections;
    },
    /** The number of connections that are open now. */
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
