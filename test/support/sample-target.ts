/** A server for the proxy calls of the samples. The process has one, and it doesn't keep the process alive. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MIB } from '../../src/kernel/numbers/units.ts';

const ANSWERS: Readonly<Record<string, { type: string; body: string }>> = {
  '/text': { type: 'text/plain; charset=utf-8', body: 'taken' },
  '/json': { type: 'application/json', body: '{"color":7}' },
  '/large': { type: 'text/plain', body: 'x'.repeat(5 * MIB + 1) },
};

/** Resolves host names for the samples. `silent.example` never resolves, and every other name is unknown. */
export function sampleResolve(host: string): Promise<readonly string[]> {
  return host === 'silent.example' ? new Promise(() => undefined) : Promise.reject(new Error('no such name'));
}

let origin: Promise<string> | undefined;

/** Returns the URL of `/text`, `/json`, `/large` or `/silent`. The server never answers `/silent`. */
export async function sampleTarget(path: string): Promise<string> {
  origin ??= new Promise((resolve) => {
    const server = createServer((request, response) => {
      const answer = ANSWERS[request.url ?? ''];
      request.resume();
      if (!answer) return;
      request.on('end', () => response.writeHead(200, { 'content-type': answer.type }).end(answer.body));
    });
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
    server.unref();
  });
  return (await origin) + path;
}
