/**
 * A server for files. Unlike `loopbackServer`, it may respond before it has read the request, and it never decodes
 * bytes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proving } from '../support/proving-server.ts';

export type FileServer = Awaited<ReturnType<typeof fileServer>>;

export async function fileServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(proving({ apiKeys: ['k'] }, answer));
  // Without a keep-alive limit, a connection that a client leaves open shows up in the test.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns all bytes of a request. Throws when the request breaks off. */
export async function bytesOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Yields the pieces of a file, as a stream does. */
export async function* pieces(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}
