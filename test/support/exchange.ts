/** Requests over HTTP, one connection each. */
import { request as send, type Agent, type IncomingHttpHeaders } from 'node:http';

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly agent?: Agent;
  readonly live?: boolean;
}

/** Sends one request. A `body` that is no string is sent as JSON. */
export function exchange(url: string, method: string, options: CallOptions = {}): Promise<Response> {
  const { body, agent } = options;
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    ...(payload !== undefined && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers, agent: agent ?? false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers } = incoming;
        resolve({ status, headers, text, body: asObject(text) });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(payload);
  });
}

function asObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
