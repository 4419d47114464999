/** Clients that cost a server time or memory. They send slowly, stop sending, or never read their answer. */
import { connect, type Socket } from 'node:net';
import type { Endpoint } from './raw-socket.ts';

export interface SlowClient {
  readonly socket: Socket;
  /** Returns everything that the client has read so far. */
  readonly received: () => string;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
  leave(): void;
}

/** Opens a connection that sends `bytes` and nothing more. It reads unless `reads` is false. */
export async function openClient(
  { host, port }: Endpoint,
  bytes: string | Buffer = '',
  { reads = true }: { reads?: boolean } = {},
): Promise<SlowClient> {
  let received = '';
  let isClosed = false;
  const socket = connect({ host, port, noDelay: true });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve();
    });
  });
  // The server may close while a slow client writes.
  socket.on('error', () => undefined);
  if (reads) socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  await Promise.race([closed, new Promise((resolve) => socket.once('connect', resolve))]);
  if (bytes.length > 0) socket.write(bytes);
  return {
    socket,
    received: () => received,
    closed,
    isClosed: () => isClosed,
    leave: () => void socket.destroy(),
  };
}

/** Sends `bytes` one by one, with a pause after each, until all are sent or the connection is closed. */
export async function drip(client: SlowClient, bytes: string | Buffer, everyMs: number): Promise<void> {
  for (const byte of Buffer.from(bytes)) {
    if (client.isClosed()) return;
    client.socket.write(Uint8Array.of(byte));
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Opens many connections. Each sends `request` and never reads the answer. */
export function hoard(place: Endpoint, count: number, request: string | Buffer): Promise<SlowClient[]> {
  return Promise.all(Array.from({ length: count }, () => openClient(place, request, { reads: false })));
}

export function headOf(
  { host, port }: Endpoint,
  line: string,
  headers: Readonly<Record<string, string | number>> = {},
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\nhost: ${host}:${port}\r\n${lines.join('')}\r\n`;
}
