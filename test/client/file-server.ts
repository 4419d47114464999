/** A server for files, which `loopbackServer` is not: it may answer before it has read, and never decodes bytes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proving } from '../support/proving-server.ts';

export interface FileServer extends AsyncDisposable {
  readonly url: string;
}

export async function fileServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FileServer> {
  const server = createServer(proving({ apiKeys: ['k'] }, answer));
  // A connection that a client leaves open is to be noticed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** All bytes of a request. Throws when it breaks off. */
export async function bytesOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The pieces of a file, as a stream gives them. */
export async function* pieces(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}
