/**
 * Calls of one client that keeps its connection open. They use the API key, or for the control plane the control token
 * of the instance in `home`.
 */
import { Agent, request, type IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { controlHeaders } from './deliveries.ts';
import type { Server } from './processes.ts';

export interface Caller {
  /** Returns the parsed answer. Throws for a status other than 200. Text is sent unchanged, anything else as JSON. */
  (method: string, path: string, body?: unknown): Promise<unknown>;
  end(): void;
}

export function caller({ url, headers }: Server, home?: string): Caller {
  const agent = new Agent({ keepAlive: true });
  const control = home === undefined ? undefined : controlHeaders(home);
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const isControl = path.startsWith('/_kyclone/');
    const sent = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const credential = (isControl ? control : undefined) ?? headers;
      // Node sends the body of a DELETE only with its length.
      const length = sent === '' ? {} : { 'content-length': Buffer.byteLength(sent) };
      request(`${url}${path}`, { agent, method, headers: { ...credential, ...length } }, resolve)
        .once('error', reject)
        .end(sent);
    });
    const content = await text(answer);
    if (answer.statusCode !== 200)
      throw new Error(`${method} ${path} answered ${answer.statusCode ?? 0}: ${content}`);
    return content === '' ? undefined : JSON.parse(content);
  };
  return Object.assign(call, { end: () => agent.destroy() });
}

/** Returns the milliseconds that work takes. */
export async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
