/**
 * A server that answers what it gets, over HTTP and over HTTPS, on 127.0.0.1 alone. It writes nothing: certificates and
 * requests are handed to the caller, and a run leaves nothing open when it is closed. What it is sent may be what a vault
 * gave out, so it belongs in no log.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { finished, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { systemClock } from '../../kernel/clock.ts';
import { EXIT } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import {
  answerTo,
  BODY_LIMIT_BYTES,
  type EchoAnswer,
  type ReceivedRequest,
  type ReceivedTls,
} from './answers.ts';
import type { Identity } from './authority.ts';

const HOST = '127.0.0.1';

export interface EchoOptions {
  /** Whether the HTTPS server wants a certificate of its own authority, and talks to nobody without one. */
  readonly mutualTls?: boolean;
  /** Free ones unless given. */
  readonly ports?: { readonly http?: number | undefined; readonly https?: number | undefined };
  /** Called for each request that arrived whole, before it is answered. */
  readonly onRequest?: (request: ReceivedRequest, status: number) => void;
  /** Called when the answer is out, or nobody is there any more to get it. */
  readonly onAnswered?: (request: ReceivedRequest) => void;
  /** Called for a client that got no further than the TLS handshake. */
  readonly onTlsFailure?: (reason: string) => void;
}

export interface Echo {
  readonly httpUrl: string;
  readonly httpsUrl: string;
  /** PEM; trusting it is trusting the HTTPS server. */
  readonly authority: string;
  /** PEM; for pinning. */
  readonly serverCertificate: string;
  /** With `mutualTls`: what a client shows. */
  readonly client: Identity | undefined;
  /** Ends it, with whatever is still being answered. */
  close(): Promise<void>;
}

/** Starts both servers. Throws CliError `port_taken`. */
export async function startEcho(options: EchoOptions = {}): Promise<Echo> {
  const { mutualTls = false, ports = {} } = options;
  // The certificates take a library that nothing else of the CLI needs.
  const { createAuthority } = await import('./authority.ts');
  const authority = await createAuthority('kyclone echo authority', systemClock.now());
  const server = await authority.issue({
    subject: 'kyclone echo',
    names: ['localhost', HOST],
    usage: 'server',
  });
  const client = mutualTls
    ? await authority.issue({ subject: 'kyclone echo client', usage: 'client' })
    : undefined;
  const serve = serving(options);
  const http = createServer(serve);
  const https = createTlsServer(
    {
      cert: server.certificate,
      key: server.key,
      ...(mutualTls && { ca: authority.certificate, requestCert: true, rejectUnauthorized: true }),
    },
    serve,
  );
  https.on('tlsClientError', (error, socket) => options.onTlsFailure?.(tlsFailure(error, socket)));
  const servers = [closable(http), closable(https)];
  const close = async () => {
    await Promise.all(servers.map((each) => each.close()));
  };
  try {
    return {
      httpUrl: `http://${HOST}:${await bind(http, { port: ports.http, flag: '--port' })}`,
      httpsUrl: `https://${HOST}:${await bind(https, { port: ports.https, flag: '--tls-port' })}`,
      authority: authority.certificate,
      serverCertificate: server.certificate,
      client,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function serving({ onRequest, onAnswered }: EchoOptions) {
  let requests = 0;
  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const tls = tlsOf(message.socket);
    const { method = '', url: target = '', headers } = message;
    const content = await readBody(message);
    if (content === undefined) return;
    const request: ReceivedRequest = { number: ++requests, method, target, headers, ...content, tls };
    const answer = answerTo(request);
    onRequest?.(request, answer.status);
    const timer = setTimeout(() => void send(response, answer), answer.delayMs);
    finished(response, () => {
      clearTimeout(timer);
      onAnswered?.(request);
    });
  }

  return (message: IncomingMessage, response: ServerResponse) => void serve(message, response);
}

async function send(response: ServerResponse, { status, headers, body }: EchoAnswer): Promise<void> {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (Buffer.isBuffer(body)) response.end(body);
  // Who breaks off an answer is not owed the rest of it.
  else await pipeline(Readable.from(body), response).catch(() => undefined);
}

/** Undefined when the client broke off. Nothing is kept of a body that is over the limit. */
async function readBody(message: IncomingMessage): Promise<{ body: Buffer; bodyBytes: number } | undefined> {
  let pieces: Buffer[] = [];
  let bodyBytes = 0;
  try {
    for await (const piece of message as AsyncIterable<Buffer>) {
      bodyBytes += piece.length;
      if (bodyBytes > BODY_LIMIT_BYTES) pieces = [];
      else pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return { body: Buffer.concat(pieces), bodyBytes };
}

function tlsOf(socket: Socket): ReceivedTls | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getPeerX509Certificate();
  return {
    version: socket.getProtocol(),
    client_certificate: certificate?.subject.replaceAll('\n', ', ') ?? null,
  };
}

const TLS_FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the client broke off',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the client showed no certificate',
  ERR_SSL_HTTP_REQUEST: 'the client spoke plain HTTP',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'the client does not trust the certificate of the server',
};

function tlsFailure(error: Error, socket: TLSSocket): string {
  // Declared as an Error; what is there is the code of one.
  const refusal = socket.authorizationError as unknown as string | null | undefined;
  if (refusal) return `the certificate of the client was refused (${refusal})`;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return TLS_FAILURES[code] ?? `code ${code}`;
}

/** A server's own way to close waits for clients that keep their connection, or never finish a handshake. */
function closable(server: Server): { close(): Promise<void> } {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface WantedPort {
  /** A free one unless given. */
  readonly port: number | undefined;
  /** What it is asked for with. */
  readonly flag: string;
}

/** Answers the port. */
function bind(server: Server, wanted: WantedPort): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(asRefusal(error, wanted)));
    server.listen({ host: HOST, port: wanted.port ?? 0, exclusive: true }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
}

function asRefusal(error: NodeJS.ErrnoException, { port, flag }: WantedPort): Error {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') return error;
  const why = error.code === 'EADDRINUSE' ? 'is taken by another program' : 'may not be opened by this user';
  return new CliError(`Port ${port} ${why}`, {
    code: 'port_taken',
    exitCode: EXIT.conflict,
    hint: `leave ${flag} out for a free one`,
    cause: error,
  });
}
