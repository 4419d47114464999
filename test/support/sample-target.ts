/** A server that the samples' proxy calls go to: one for the process, which it doesn't keep alive. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MIB } from '../../src/kernel/units.ts';

const ANSWERS: Readonly<Record<string, { type: string; body: string }>> = {
  '/text': { type: 'text/plain; charset=utf-8', body: 'taken' },
  '/json': { type: 'application/json', body: '{"color":7}' },
  '/large': { type: 'text/plain', body: 'x'.repeat(5 * MIB + 1) },
};

/** `silent.example` never answers; no other name is known. */
export function sampleResolve(host: string): Promise<readonly string[]> {
  return host === 'silent.example' ? new Promise(() => undefined) : Promise.reject(new Error('no such name'));
}

let origin: Promise<string> | undefined;

/** The URL of `/text`, `/json`, `/large` or, never answered, `/silent`. */
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
