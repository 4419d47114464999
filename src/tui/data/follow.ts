/**
 * Follows the stream of a daemon, reports happenings at most every two and a half seconds, and finds the daemon again
 * after it was lost, restarted or replaced by another version. How it is reached is the caller's.
 */
import type { StreamMessage } from '../../client/server-sent-events.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import type { Message } from '../state/model.ts';
import { inWords } from '../words.ts';
import { batched, happeningOf } from './happenings.ts';
import type { Source } from './source.ts';

/** A daemon that was found. */
export interface Found<Connection> {
  readonly connection: Connection;
  /** Changes with each start of a daemon. */
  readonly identity: string;
  readonly version: string;
}

/** Who makes a request, and what this person has seen of the access log. */
export interface Requester {
  readonly operator?: string | undefined;
  readonly seen?: number | undefined;
}

export interface FollowOptions<Connection> {
  /** The daemon at the start. */
  readonly first: Found<Connection>;
  readonly find: () => Promise<Found<Connection>>;
  readonly open: (connection: Connection, signal: AbortSignal) => Promise<AsyncIterable<StreamMessage>>;
  readonly sourceOf: (connection: Connection, requester: Requester) => Source;
  readonly ownVersion: string;
  readonly report: (message: Extract<Message, { type: 'connection' | 'happened' }>) => void;
}

export type Link = ReturnType<typeof followDaemon>;

const RETRY_MS = SECOND_MS;

export function followDaemon<Connection>(options: FollowOptions<Connection>) {
  const { first, find, open, sourceOf, ownVersion, report } = options;
  const stopping = new AbortController();
  let found = first;
  let source = sourceOf(found.connection, {});
  let named: { readonly of: Source; readonly operator: string; readonly source: Source } | undefined;
  let isLost = false;
  let wake: () => void = () => undefined;
  const happenings = batched((types) => report({ type: 'happened', types }));
  const isStopped = () => stopping.signal.aborted;

  async function attach(next: Found<Connection>): Promise<void> {
    const messages = await open(next.connection, stopping.signal);
    if (isStopped()) return;
    const isNewDaemon = next.identity !== found.identity;
    // The same daemon may have new credentials, for example after a key was revoked and another created.
    if (isNewDaemon || JSON.stringify(next.connection) !== JSON.stringify(found.connection))
      source = sourceOf(next.connection, {});
    found = next;
    const isOther = next.version !== ownVersion;
    const connection = isOther
      ? ({ kind: 'other_version', daemon: next.version, own: ownVersion } as const)
      : ({ kind: 'live' } as const);
    isLost = false;
    report({ type: 'connection', connection, isNewDaemon });
    for await (const message of messages) happenings.note(happeningOf(message));
  }

  function lose(why: string): void {
    if (isLost || isStopped()) return;
    isLost = true;
    report({ type: 'connection', connection: { kind: 'lost', why } });
  }

  return {
    /** `operator`: the person who makes the requests. */
    source(operator?: string, seen?: number): Source {
      if (seen !== undefined) return sourceOf(found.connection, { operator, seen });
      if (operator === undefined) return source;
      // Returns the same source while nothing changes, so that equal requests are sent once.
      if (named?.of !== source || named.operator !== operator) {
        named = { of: source, operator, source: sourceOf(found.connection, { operator }) };
      }
      return named.source;
    },
    /** Follows the stream until it is stopped. Never rejects. */
    async follow(): Promise<void> {
      let next: Found<Connection> | undefined = first;
      while (!isStopped()) {
        try {
          await attach(next ?? (await find()));
          lose('it ended');
        } catch (error) {
          lose(inWords(error));
        }
        next = undefined;
        if (!isStopped()) await pause();
      }
    },
    /** Skips the wait before the next attempt. */
    retry: (): void => wake(),
    stop(): void {
      stopping.abort();
      happenings.cease();
      wake();
    },
  };

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
