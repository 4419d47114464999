/**
 * One call with a client token. The token is only sent in its header. Cookies, referrers, caches and redirects are
 * disabled, so that neither the token nor the values leak.
 */
import { CLIENT_TOKEN_HEADER } from '../contract/facts/credentials.ts';
import { VaultError } from './errors.ts';

export interface FormConnection {
  readonly baseUrl: string;
  readonly token: string;
  readonly fetch?: typeof fetch;
}

export interface FormCall {
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** With percent-encoded parameters. */
  readonly path: string;
  /** A Blob is sent as it is, with its own type; anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Returns the parsed response. Throws VaultError. */
export async function callJson(connection: FormConnection, call: FormCall): Promise<unknown> {
  const response = await exchange(connection, call);
  return parse(await read(response.text()), response.status);
}

/** Returns the response as bytes with its content type. Throws VaultError. */
export async function callFile(connection: FormConnection, call: FormCall): Promise<Blob> {
  return read((await exchange(connection, call)).blob());
}

async function exchange({ baseUrl, token, ...given }: FormConnection, call: FormCall): Promise<Response> {
  // Called without a receiver: a browser's fetch only accepts the window.
  const { fetch } = given.fetch === undefined ? globalThis : { fetch: given.fetch };
  // Headers can't carry other characters, and no token has them. The token was probably cut off when it was copied.
  if (!/^[\x20-\x7e]*$/.test(token)) {
    throw new VaultError('unauthenticated', 'The token holds characters that no token has');
  }
  const { method, path, body, signal } = call;
  const isFile = body instanceof Blob;
  const contentType = isFile ? body.type || 'application/octet-stream' : 'application/json';
  const request = {
    method,
    headers: { [CLIENT_TOKEN_HEADER]: token, ...(body !== undefined && { 'content-type': contentType }) },
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  } as const;
  let base = baseUrl;
  while (base.endsWith('/')) base = base.slice(0, -1);
  const response = await read(fetch(base + path, request));
  if (!response.ok) throw refusal(parse(await read(response.text()), response.status), response.status);
  return response;
}

/** A browser doesn't distinguish a refused origin from an unreachable service, so the message names both. */
function read<T>(answer: Promise<T>): Promise<T> {
  return answer.catch(() => {
    throw new VaultError(
      'unreachable',
      'No answer came: the service is not running, or this page’s origin is not in its cors.origins',
    );
  });
}

function parse(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(status);
  }
}

function refusal(body: unknown, status: number): VaultError {
  const { code, message, context } = (body ?? {}) as Record<string, unknown>;
  if (typeof code !== 'string' || typeof message !== 'string') return unreadable(status);
  return new VaultError(code, message, { status, context: (context ?? {}) as Record<string, string> });
}

function unreadable(status: number): VaultError {
  return new VaultError('unreadable', `Status ${status} came with an answer that is not the service’s`, {
    status,
  });
}
