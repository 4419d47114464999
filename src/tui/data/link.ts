/**
 * The link to the daemon. It follows the daemon's stream, reports happenings at most every two and a half seconds,
 * and finds the daemon again after it was lost, restarted or replaced by another version.
 */
import { isDeepStrictEqual } from 'node:util';
import { STREAM_TYPES } from '../../contract/facts/stream.ts';
import type { Connection } from '../../client/client.ts';
import { openStream, type StreamMessage } from '../../client/event-stream.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import type { Happening, Message } from '../state/model.ts';
import { inWords } from '../words.ts';
import { createSource, type Source, type TenantEnvironment } from './source.ts';

/** Updates without user input are drawn at most twelve times a second. */
export const FRAME_MS = Math.ceil(SECOND_MS / 12);

/**
 * Changes by other clients are reported at most every two and a half seconds, the first at once. A list that moves
 * faster is unreadable, and each move sends all of its rows to the terminal.
 */
const REPORT_MS = 2.5 * SECOND_MS;

/** A daemon that was found. */
export interface Found {
  readonly connection: Connection;
  /** Changes with each start of a daemon. */
  readonly identity: string;
  readonly version: string;
}

export interface DaemonLinkOptions {
  /** The daemon at the start of the inspector. */
  readonly first: Found;
  readonly find: () => Promise<Found>;
  readonly environment: TenantEnvironment['environment'];
  readonly ownVersion: string;
  readonly report: (message: Extract<Message, { type: 'connection' | 'happened' }>) => void;
}

export interface Link {
  /** `operator`: the person who makes the requests. */
  source(operator?: string, seen?: number): Source;
  /** Follows the stream until it is stopped. Never rejects. */
  follow(): Promise<void>;
  /** Skips the wait before the next attempt. */
  retry(): void;
  stop(): void;
}

const RETRY_MS = SECOND_MS;

export function createLink({ first, find, environment, ownVersion, report }: DaemonLinkOptions): Link {
  const stopping = new AbortController();
  let found = first;
  let source = createSource(found.connection, environment);
  let named: { readonly of: Source; readonly operator: string; readonly source: Source } | undefined;
  let isLost = false;
  let wake: () => void = () => undefined;
  const happenings = batched((types) => report({ type: 'happened', types }));
  const isStopped = () => stopping.signal.aborted;

  async function attach(next: Found): Promise<void> {
    const messages = await openStream(next.connection, { types: STREAM_TYPES, signal: stopping.signal });
    if (isStopped()) return;
    const isNewDaemon = next.identity !== found.identity;
    // The same daemon may have new credentials, for example after a key was revoked and another created.
    if (isNewDaemon || !isDeepStrictEqual(next.connection, found.connection))
      source = createSource(next.connection, environment);
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
    source(operator, seen) {
      if (seen !== undefined) return createSource({ ...found.connection, operator, seen }, environment);
      if (operator === undefined) return source;
      // Returns the same source while nothing changes, so that equal requests are sent once.
      if (named?.of !== source || named.operator !== operator) {
        named = {
          of: source,
          operator,
          source: createSource({ ...found.connection, operator }, environment),
        };
      }
      return named.source;
    },
    async follow() {
      let next: Found | undefined = first;
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
    retry: () => wake(),
    stop() {
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

/**
 * A request that only reads changes nothing. A read of the control plane, as the inspector makes them, is not
 * reported at all.
 */
function happeningOf({ type, data }: StreamMessage): Happening | undefined {
  if (type !== 'request') return type;
  const { method, path } = data as { method?: unknown; path?: unknown };
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && typeof path === 'string' && path.startsWith('/_kyclone/')) return undefined;
  return isRead ? 'read' : 'request';
}

/**
 * Gathers happenings and reports them together: the first with the next frame, later ones `REPORT_MS` after the last
 * report.
 */
export function batched(report: (types: ReadonlySet<Happening>) => void) {
  let gathered = new Set<Happening>();
  let timer: NodeJS.Timeout | undefined;
  let hasCeased = false;
  function reportGathered(): void {
    timer = undefined;
    if (gathered.size === 0) return;
    const types = gathered;
    gathered = new Set();
    timer = setTimeout(reportGathered, REPORT_MS);
    report(types);
  }
  return {
    note(happening: Happening | undefined): void {
      if (happening === undefined || hasCeased) return;
      gathered.add(happening);
      timer ??= setTimeout(reportGathered, FRAME_MS);
    },
    /** Stops reporting. */
    cease(): void {
      hasCeased = true;
      clearTimeout(timer);
    },
  };
}
