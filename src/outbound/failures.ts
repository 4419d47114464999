/**
 * Ends waits at a deadline, and describes failures in words and with the system's code; never with a text from a target
 * or a request.
 */
import { OutboundFailure, type FailureNotes } from './outbound.ts';

const WORDS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'no name server answered',
  EAI_NODATA: 'the name has no address',
  ENODATA: 'the name has no address',
  ENOTFOUND: 'the name is unknown',
  EACCES: 'the system forbids it',
  EPERM: 'the system forbids it',
  EADDRNOTAVAIL: 'the address is not available here',
  EAFNOSUPPORT: 'this machine has no such addresses',
  ECONNABORTED: 'connection aborted',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTDOWN: 'the host is down',
  EHOSTUNREACH: 'no route to the host',
  EMFILE: 'too many open files',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'the network is unreachable',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'connection timed out',
};

/** `connection refused (ECONNREFUSED)`; `fallback` for a code that has no words here. */
export function inWords(error: unknown, fallback = 'it failed'): string {
  const code = codeOf(error);
  if (code === undefined) return fallback;
  return `${WORDS[code] ?? fallback} (${code})`;
}

/** The code of a system or library error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][\w/-]*$/.test(code) ? code : undefined;
}

/** The same failure with notes about the connection. Any other error is a defect and stays as it is. */
export function withNotes(error: unknown, notes: FailureNotes): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  const { kind, message, cause, status, headers } = error;
  return new OutboundFailure(kind, message, {
    cause,
    ...notes,
    status: notes.status ?? status,
    headers: notes.headers ?? headers,
  });
}

/** `what`: such as `no connection`. */
export function timedOut(what: string): OutboundFailure {
  return new OutboundFailure('timeout', `${what} in time`);
}

/**
 * Settles as `work` does, or with `timedOut(what)` as soon as `signal` aborts.
 */
export async function beforeDeadline<T>(
  work: Promise<T>,
  { signal, what }: { signal: AbortSignal; what: string },
): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const end = (): void => reject(timedOut(what));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
