/** The sockets: both loopback addresses on one port, so that `localhost` works with either. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceError } from '../kernel/errors.ts';
import type { DaemonRuntime } from './runtime.ts';
import { REQUEST_HEAD_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import type { Connections } from '../http/connections.ts';
import type { ServerLimits } from '../http/limits.ts';
import { realTime } from '../kernel/time/real-time.ts';

export type Listening = ReturnType<typeof listening>;

const FREE_PORT_TRIES = 10;

/** `host` undefined: 127.0.0.1 and ::1. `port` 0: a free one. Throws `port_taken`. */
export async function listen(
  runtime: DaemonRuntime,
  { host, port }: { host?: string; port: number },
): Promise<Listening> {
  for (let tries = 1; ; tries++) {
    const primary = await bind(createListener(runtime), host ?? '127.0.0.1', port);
    const actual = (primary.address() as AddressInfo).port;
    if (host !== undefined) return listening([primary], actual);
    try {
      const secondary = await ifThereIsIPv6(() => bind(createListener(runtime), '::1', actual));
      return listening(secondary ? [primary, secondary] : [primary], actual);
    } catch (error) {
      await closed(primary);
      if (port !== 0 || tries === FREE_PORT_TRIES) throw error;
    }
  }
}

/** Opens the port and releases it, before a start changes anything. Throws `port_taken`. */
export async function requireFreePort({ host, port }: { host?: string; port: number }): Promise<void> {
  if (port === 0) return;
  await closed(await bind(createServer(), host ?? '127.0.0.1', port));
  if (host !== undefined) return;
  const second = await ifThereIsIPv6(() => bind(createServer(), '::1', port));
  if (second) await closed(second);
}

/** A server that outlives its app. */
export function createListener(runtime: DaemonRuntime): Server {
  const { connections } = runtime;
  const route = (request: IncomingMessage, response: ServerResponse) => {
    if (connections.begin(request, response)) runtime.route(request, response);
  };
  const server = createServer(HTTP_SERVER_OPTIONS, route);
  // Allows as many headers as fit into a head: by default Node silently drops those after the 2,000th.
  server.maxHeadersCount = 0;
  connections.watch(server);
  // We support no expectation but 100-continue. Node would send its own response, without our headers.
  server.on('checkExpectation', route);
  server.on('clientError', (error, socket) => runtime.service.app.refuseUnreadable(error, socket));
  return server;
}

/** Undefined on a machine without IPv6. */
async function ifThereIsIPv6(listenThere: () => Promise<Server>): Promise<Server | undefined> {
  try {
    return await listenThere();
  } catch (error) {
    if (isSystemError(error, 'EADDRNOTAVAIL') || isSystemError(error, 'EAFNOSUPPORT')) return undefined;
    throw error;
  }
}

function bind(server: Server, host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(asRefusal(error, port));
    server.once('error', refuse);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

function asRefusal(error: Error, port: number): Error {
  if (isSystemError(error, 'EADDRINUSE')) {
    return new ServiceError('port_taken', `Port ${port} is taken by another program`, { cause: error });
  }
  if (isSystemError(error, 'EACCES')) {
    return new ServiceError('port_taken', `Port ${port} may not be opened by this user`, { cause: error });
  }
  return error;
}

function listening(servers: readonly Server[], port: number) {
  return {
    port,
    /** Stops accepting connections and closes idle ones; resolves when the rest have ended. */
    close: (): Promise<void> => Promise.all(servers.map(closed)).then(() => undefined),
    /** Aborts every open connection. */
    abandon: (): void => servers.forEach((server) => server.closeAllConnections()),
    /** From now on neither the port nor its connections keep the process alive. */
    unref(): void {
      for (const server of servers) server.unref().on('connection', (socket) => socket.unref());
    },
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** Checks the code, not the class: in a test runner's sandbox, system errors belong to another realm. */
function isSystemError(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}

// Options of Node's HTTP server, shared by every listener.

/**
 * Our own check reports a missing Host, as JSON. Repeated headers are joined instead of dropped, so that a second
 * Authorization header makes the credential malformed and is not overlooked.
 */
const HTTP_SERVER_OPTIONS = {
  maxHeaderSize: REQUEST_HEAD_LIMIT_BYTES,
  requireHostHeader: false,
  joinDuplicateHeaders: true,
  // The interval of the check for late heads.
  connectionsCheckingInterval: SECOND_MS,
} as const;

// Handles the last requests of a stopping daemon. Each has a short time to finish. A response in progress continues
// while its client reads it, up to a limit. Everything else is aborted.

interface Draining {
  readonly connections: Pick<Connections, 'isBeingRead'>;
  readonly limits: Pick<ServerLimits, 'drainMs' | 'drainLimitMs'>;
  readonly service: { quiesce(): Promise<void> };
}

const LOOK_AGAIN_MS = 50;

export async function drain(
  listening: Pick<Listening, 'close' | 'abandon'>,
  { connections, limits, service }: Draining,
): Promise<void> {
  const over = new AbortController();
  const ended = service
    .quiesce()
    .then(() => listening.close())
    .finally(() => over.abort());
  // Called from the start, so that the progress of each client is known.
  const isRead = () => connections.isBeingRead();
  const answering = AbortSignal.timeout(limits.drainMs);
  const reading = AbortSignal.timeout(limits.drainLimitMs);
  const waitLonger = () => (!answering.aborted || isRead()) && !reading.aborted;
  const patience = async () => {
    isRead();
    while (!over.signal.aborted && waitLonger()) {
      await realTime.sleep(LOOK_AGAIN_MS, over.signal).catch(() => undefined);
    }
  };
  await Promise.race([ended, patience()]);
  listening.abandon();
}
