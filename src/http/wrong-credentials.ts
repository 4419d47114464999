/**
 * Slows down a client that tries credentials. Only responses to wrong credentials are delayed, and only after many of
 * them. A correct credential is never delayed, and no client is refused because of their number (contract §0.10). But a
 * connection that waits for such a response is the first to be closed when another needs its place (connections.ts).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Auth } from '../contract/endpoint.ts';
import { CLIENT_TOKEN_HEADER, CONSOLE_HEADER } from '../contract/facts/credentials.ts';
import { CREDENTIAL_PREFIX } from '../kernel/ids/ids.ts';
import { onceClosed } from './call.ts';
import { realTime } from '../kernel/time/real-time.ts';

export interface WrongCredentials {
  /** Waits before the response to a wrong credential; undefined when no delay is due. */
  delay(call: Refused, auth: Auth): Promise<void> | undefined;
}

interface Refused {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface SlowingLimits {
  /** Wrong credentials of one client and kind that get an immediate response. */
  readonly wrongAtOnce: number;
  /** How many of these are restored each second. */
  readonly wrongPerSecond: number;
  /** Milliseconds that each further response is delayed. */
  readonly wrongDelayMs: number;
}

interface Tries {
  left: number;
  /** Milliseconds of the process clock. */
  at: number;
}

const CLIENTS = 1_000;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const CREDENTIAL_PREFIXES = [
  CREDENTIAL_PREFIX.sandbox,
  CREDENTIAL_PREFIX.live,
  CREDENTIAL_PREFIX.clientToken,
];
const SCHEMES = [/^basic /i, /^bearer /i] as const;

/** The clients of the responses that are delayed now. */
const delayed = new WeakMap<ServerResponse, string>();

/** The client, by address and kind of credential, whose wrong credential delays this response; undefined for others. */
export function delayedClient(response: ServerResponse): string | undefined {
  return delayed.get(response);
}

/** `now` is milliseconds of a monotonic clock. */
export function createWrongCredentials(
  { wrongAtOnce, wrongPerSecond, wrongDelayMs }: SlowingLimits,
  now: () => number,
): WrongCredentials {
  /** Ordered by last use, the most recent at the end. */
  const clients = new Map<string, Tries>();

  function spend(client: string): boolean {
    const at = now();
    const before = clients.get(client) ?? { left: wrongAtOnce, at };
    const left = Math.min(wrongAtOnce, before.left + ((at - before.at) / 1000) * wrongPerSecond);
    clients.delete(client);
    clients.set(client, { left: Math.max(0, left - 1), at });
    const [oldest] = clients.keys();
    if (clients.size > CLIENTS && oldest !== undefined) clients.delete(oldest);
    return left >= 1;
  }

  return {
    delay(call, auth) {
      const { request, response } = call;
      const kind = kindOf(request, auth);
      if (kind === undefined) return undefined;
      const client = `${placeOf(request)} ${kind}`;
      if (spend(client)) return undefined;
      delayed.set(response, client);
      return new Promise((resolve) => {
        const end = () => {
          realTime.clearTimeout(timer);
          forget();
          delayed.delete(response);
          resolve();
        };
        const timer = realTime.setTimeout(end, wrongDelayMs);
        const forget = onceClosed(call, end);
      });
    },
  };
}

/** All loopback addresses count as one client. */
function placeOf({ socket }: IncomingMessage): string {
  const address = socket.remoteAddress ?? '';
  return LOOPBACK.test(address) ? 'loopback' : address;
}

/** The kind of credential that was tried; undefined for none. */
function kindOf({ headers }: IncomingMessage, auth: Auth): string | undefined {
  const { authorization } = headers;
  if (headers[CONSOLE_HEADER] !== undefined) return 'console';
  if (authorization !== undefined)
    return SCHEMES.find((scheme) => scheme.test(authorization))?.source ?? 'other';
  const token = headers[CLIENT_TOKEN_HEADER];
  if (token !== undefined) return 'token';
  if (auth.kind === 'token' && auth.place === 'path') return 'path token';
  const hasKey = Object.values(headers).some(
    (value) => typeof value === 'string' && CREDENTIAL_PREFIXES.some((prefix) => value.startsWith(prefix)),
  );
  return hasKey ? 'key' : undefined;
}
