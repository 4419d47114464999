/**
 * Calls from the page, over `fetch`, with the token of this tab and no other credential (contract §11.1). The same
 * errors as everywhere: ApiError, and UnreachableError when no response arrives.
 */
import type { Environment } from '../nouns/entities/facts.ts';
import { ApiError, UnreachableError } from '../client/errors.ts';
import { messagesOf, type StreamMessage } from '../client/server-sent-events.ts';
import {
  failureOf,
  headersOf,
  isSuccess,
  type LooseOptions,
  operatorHeader,
  parseBody,
  type ReceivedText,
  routeOf,
} from '../client/wire-call.ts';
import { CONSOLE_HEADER } from '../contract/facts/credentials.ts';
import { ENVIRONMENT_HEADER } from '../nouns/console/facts.ts';
import { STREAM_TYPES } from '../nouns/control/facts.ts';
import { jsonText } from '../kernel/text/json.ts';
import { sourceOf, type Source, type SourceClient } from '../tui/data/source.ts';
import type { Requester } from '../tui/data/follow.ts';

/** What a page needs to call its daemon. */
export interface PageConnection {
  /** The token of this tab; kept in memory only. */
  readonly token: string;
  readonly tenant: string;
  readonly environment: Environment;
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

/** Nothing is cached, and a redirect is an error: the daemon has none. */
export const PLAIN = {
  cache: 'no-store',
  credentials: 'same-origin',
  redirect: 'error',
  referrerPolicy: 'no-referrer',
} as const;

export function pageSource(
  connection: PageConnection,
  requester: Requester = {},
  fetched: Fetch = (path, init) => fetch(path, init),
): Source {
  const { tenant, environment } = connection;
  const client = pageClient(connection, requester, fetched);
  // The page has no API key of its own.
  return sourceOf(client, { tenant, environment }, () => false);
}

function pageClient(connection: PageConnection, requester: Requester, fetched: Fetch): SourceClient {
  const own = { ...headersOfTab(connection), ...operatorHeader(requester) };

  async function call(key: string, options: LooseOptions = {}): Promise<unknown> {
    const { method, path } = routeOf(key, options);
    const hasBody = options.body !== undefined;
    const response = await opened(fetched, path, {
      ...PLAIN,
      method,
      headers: {
        accept: 'application/json',
        ...own,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...headersOf(options),
      },
      body: hasBody ? jsonText(options.body) : null,
    });
    return await answerOf(response, key);
  }

  async function download(token: string) {
    const { path } = routeOf('GET /users/vault/decrypt/{token}', { params: { token } });
    const response = await opened(fetched, path, { ...PLAIN, headers: { accept: '*/*', ...own } });
    if (!isSuccess(response.status)) throw failureOf(await textOf(response));
    const length = response.headers.get('content-length');
    return {
      contentType: response.headers.get('content-type') ?? 'application/octet-stream',
      bytes: length === null ? undefined : Number(length),
      name: undefined,
      content: chunksOf(response),
    };
  }

  return { call: call as SourceClient['call'], download };
}

/** The stream of the daemon. Its messages end without an error when `signal` fires. */
export async function openPageStream(
  connection: PageConnection,
  signal: AbortSignal,
  fetched: Fetch = (path, init) => fetch(path, init),
): Promise<AsyncIterable<StreamMessage>> {
  const path = `/_kyclone/stream?types=${STREAM_TYPES.join(',')}`;
  const headers = { accept: 'text/event-stream', ...headersOfTab(connection) };
  const response = await opened(fetched, path, { ...PLAIN, headers, signal });
  if (response.status !== 200) throw failureOf(await textOf(response));
  return messagesOf(chunksOf(response), new Set(STREAM_TYPES), signal);
}

/** A call of the page's own endpoints, which need the origin, and the cookie of the session. */
export async function callOwn(
  path: string,
  method: string,
  body?: unknown,
  token?: string,
): Promise<unknown> {
  const response = await opened((where, init) => fetch(where, init), path, {
    ...PLAIN,
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { [CONSOLE_HEADER]: token }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return await answerOf(response, `${method} ${path}`);
}

export function headersOfTab({ token, environment }: PageConnection): Record<string, string> {
  return { [CONSOLE_HEADER]: token, [ENVIRONMENT_HEADER]: environment };
}

async function opened(fetched: Fetch, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetched(path, init);
  } catch (error) {
    throw new UnreachableError('The daemon does not answer', { cause: error });
  }
}

async function answerOf(response: Response, endpoint: string): Promise<unknown> {
  const answer = await textOf(response);
  if (!isSuccess(answer.status)) throw failureOf(answer, endpoint);
  return parseBody(answer);
}

async function textOf(response: Response): Promise<ReceivedText> {
  try {
    return {
      status: response.status,
      text: await response.text(),
      contentType: response.headers.get('content-type') ?? undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
    };
  } catch (error) {
    throw new UnreachableError('The connection to the daemon broke', { cause: error });
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw new UnreachableError('The connection to the daemon broke', { cause: error });
  } finally {
    // The connection is not kept for a rest that nobody reads.
    await reader.cancel().catch(() => undefined);
  }
}

/** Whether the session is over: revoked, eight hours old, or the daemon was started anew. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
