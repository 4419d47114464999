/** The sockets: both loopback addresses on one port, so that `localhost` works with either. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HTTP_SERVER_OPTIONS, liftHeaderCount } from '../http/server-options.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { DaemonRuntime } from './runtime.ts';

export interface Listening {
  readonly port: number;
  /** Stops accepting connections and closes idle ones; resolves when the rest have ended. */
  close(): Promise<void>;
  /** Aborts every open connection. */
  abandon(): void;
  /** From now on neither the port nor its connections keep the process alive. */
  unref(): void;
}

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
      const secondary = await bindSecondLoopback(runtime, actual);
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
  liftHeaderCount(server);
  connections.watch(server);
  // We support no expectation but 100-continue. Node would send its own response, without our headers.
  server.on('checkExpectation', route);
  server.on('clientError', (error, socket) => runtime.service.app.refuseUnreadable(error, socket));
  return server;
}

/** Undefined on a machine without IPv6. */
async function bindSecondLoopback(runtime: DaemonRuntime, port: number): Promise<Server | undefined> {
  return await ifThereIsIPv6(() => bind(createListener(runtime), '::1', port));
}

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

function listening(servers: readonly Server[], port: number): Listening {
  return {
    port,
    close: () => Promise.all(servers.map(closed)).then(() => undefined),
    abandon: () => servers.forEach((server) => server.closeAllConnections()),
    unref() {
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
