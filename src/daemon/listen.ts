/** The sockets: both loopback addresses on one port, so that `localhost` works whichever of them it means. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { HTTP_SERVER_OPTIONS, liftHeaderCount } from '../http/app.ts';
import { ServiceError } from '../kernel/errors.ts';

export interface Listening {
  readonly port: number;
  /** Stops taking connections and closes idle ones; answers when the rest are done. */
  close(): Promise<void>;
  /** Breaks off every connection that is still open. */
  abandon(): void;
  /** From now on neither the port nor its connections keep the process alive. */
  unref(): void;
}

const FREE_PORT_TRIES = 10;

/** `host` undefined: 127.0.0.1 and ::1. `port` 0: a free one. Throws `port_taken`. */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host?: string; port: number },
): Promise<Listening> {
  await app.ready();
  for (let tries = 1; ; tries++) {
    const primary = await bind(app.server, host ?? '127.0.0.1', port);
    const actual = (primary.address() as AddressInfo).port;
    if (host !== undefined) return listening([primary], actual);
    try {
      const secondary = await bindSecondLoopback(app, actual);
      return listening(secondary ? [primary, secondary] : [primary], actual);
    } catch (error) {
      await closed(primary);
      if (port !== 0 || tries === FREE_PORT_TRIES) throw error;
    }
  }
}

/** Undefined where the machine has no IPv6. */
async function bindSecondLoopback(app: FastifyInstance, port: number): Promise<Server | undefined> {
  const server = createServer(HTTP_SERVER_OPTIONS, app.routing.bind(app));
  liftHeaderCount(server);
  server.keepAliveTimeout = app.server.keepAliveTimeout;
  server.requestTimeout = app.server.requestTimeout;
  server.on('checkExpectation', app.routing.bind(app));
  server.on('clientError', (error, socket) => app.server.emit('clientError', error, socket));
  try {
    return await bind(server, '::1', port);
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

/** By its code: in a test runner's sandbox the system's errors are of another realm's class. */
function isSystemError(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
