/**
 * A server on 127.0.0.1 only, which passes every complete request to a function that returns the response, and one
 * run of such a server. Requests may contain values from a vault, so nothing of them is logged.
 *
 * A run ends with a signal, when its output has no reader any more, or when the wanted number of requests have their
 * responses. In each case no socket is left open.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { finished, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TLSSocket } from 'node:tls';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { BODY_LIMIT_BYTES, type EchoAnswer, type ReceivedRequest, type ReceivedTls } from './answers.ts';
import { whenToEnd } from '../shell/ending.ts';

export const HOST = '127.0.0.1';

export interface Listeners {
  /** Called for each complete request, before the response. */
  readonly onRequest?: (request: ReceivedRequest, status: number) => void;
  /** Called when the response is sent, or its client is gone. */
  readonly onAnswered?: (request: ReceivedRequest) => void;
}

/** The request listener for one or more servers. Requests of all servers are counted together. */
export function serving(
  answerTo: (request: ReceivedRequest) => EchoAnswer,
  { onRequest, onAnswered }: Listeners,
): (message: IncomingMessage, response: ServerResponse) => void {
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
  // A client that breaks the connection does not get the rest.
  else await pipeline(Readable.from(body), response).catch(() => undefined);
}

/** Undefined if the client broke the connection. A body over the limit is not kept. */
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

/** The server's own close() would wait for clients that keep their connection open or never finish a handshake. */
export function closable(server: Server): { close(): Promise<void> } {
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
  /** Default: a free port. */
  readonly port: number | undefined;
  /** The flag that sets the port, for messages. */
  readonly flag: string;
}

/** Returns the port. Throws CliError `port_taken`. */
export function bind(server: Server, wanted: WantedPort): Promise<number> {
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
    hint: `omit ${flag} to get a free one`,
    cause: error,
  });
}

export interface ServerRun<Started extends { close(): Promise<void> }> {
  /** Stop after this many requests; unlimited by default. */
  readonly stopAfter: number | undefined;
  readonly start: (listeners: Listeners) => Promise<Started>;
  readonly show: (request: ReceivedRequest, status: number) => void;
  /** Called when the server listens. The run ends when the promise settles. */
  readonly meanwhile: (server: Started, exitCode: Promise<number>) => Promise<number>;
}

/** Returns the exit code. Throws what `start` and `meanwhile` throw. */
export async function runServer<Started extends { close(): Promise<void> }>({
  stopAfter = Infinity,
  start,
  show,
  meanwhile,
}: ServerRun<Started>): Promise<number> {
  const ending = whenToEnd();
  let answered = 0;
  try {
    const server = await start({
      onRequest: (request, status) => {
        if (request.number <= stopAfter) show(request, status);
      },
      onAnswered: ({ number }) => {
        if (number <= stopAfter && ++answered === stopAfter) ending.end(EXIT.ok);
      },
    });
    try {
      return await meanwhile(server, ending.exitCode);
    } finally {
      await server.close();
    }
  } finally {
    ending.release();
  }
}
