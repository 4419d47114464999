/** The live stream: messages are kept for a while, and sent to every listener (contract §11). */
import { attempt } from '../../kernel/attempt.ts';
import { jsonText } from '../../kernel/text/json.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { STREAM_TYPES, type StreamType } from './endpoints.ts';
import { listParameter } from '../cursor.ts';
import { realTime } from '../../kernel/time/real-time.ts';
import { MIB, SECOND_MS } from '../../kernel/numbers/units.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import { invalid } from '../../kernel/errors.ts';

// A listener of the stream, with a bounded queue of messages.

type Subscriber = ReturnType<typeof createSubscriber>;

/** A reader that falls this far behind is disconnected; it may reconnect with the id of its last message. */
const QUEUE_LIMIT_BYTES = 8 * MIB;

function createSubscriber() {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let hasEnded = false;
  let wake: () => void = () => undefined;

  function take(): Buffer {
    const taken = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return taken;
  }

  return {
    push(text: string): void {
      if (hasEnded) return;
      const bytes = Buffer.from(text);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > QUEUE_LIMIT_BYTES) {
        take();
        hasEnded = true;
      }
      wake();
    },
    /** Accepts no more messages; queued ones are still sent. */
    end(): void {
      hasEnded = true;
      wake();
    },
    /** Waits for messages and returns all queued ones; undefined at the end. */
    async next(): Promise<Buffer | undefined> {
      while (waiting.length === 0 && !hasEnded) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.length > 0 ? take() : undefined;
    },
  };
}

export type Stream = ReturnType<typeof createStream>;

interface Message {
  readonly id: number;
  readonly type: StreamType;
  readonly read: () => object;
}

type Wants = (message: Message) => boolean;

const KEPT_MESSAGES = 1_000;
/** Sent at once to show that messages follow, and then regularly, so that no connection times out. */
const COMMENT = ': kyclone\n\n';
const COMMENT_EVERY_MS = 15 * SECOND_MS;

/** `firstId`: ids increase from here, across restarts. */
export function createStream({ firstId }: { firstId: number }) {
  /** Oldest first. */
  let kept: Message[] = [];
  let nextId = firstId;
  let isClosed = false;
  const subscribers = new Map<Subscriber, Wants>();

  async function* listen(options: {
    wants: Wants;
    after: number;
    follows: boolean;
    closed: AbortSignal;
  }): AsyncGenerator<Uint8Array, void, undefined> {
    const { wants, after, follows, closed } = options;
    const subscriber = createSubscriber();
    const end = () => subscriber.end();
    const beat = realTime.setInterval(() => subscriber.push(COMMENT), COMMENT_EVERY_MS).unref();
    closed.addEventListener('abort', end);
    if (!follows || isClosed || closed.aborted) end();
    else subscribers.set(subscriber, wants);
    const missed = kept.filter((message) => message.id > after && wants(message));
    try {
      yield Buffer.from(COMMENT);
      for (const message of missed) {
        if (closed.aborted) return;
        const text = wireText(message);
        if (text !== undefined) yield Buffer.from(text);
      }
      for (;;) {
        const waiting = await subscriber.next();
        if (!waiting) return;
        yield waiting;
      }
    } finally {
      realTime.clearInterval(beat);
      closed.removeEventListener('abort', end);
      subscribers.delete(subscriber);
    }
  }

  /** Server-sent events as text; ends when `closed` aborts or the service stops. Throws `invalid_request` at once. */
  function open(
    { types, follow = true }: RequestOf<'GET /_kyclone/stream'>['query'],
    lastEventId: string | undefined,
    closed: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    const wanted = wantedTypes(types);
    const after = lastEventId === undefined ? (follow ? Infinity : -1) : Number(lastEventId);
    return listen({ wants: ({ type }) => wanted.has(type), after, follows: follow, closed });
  }

  return {
    /** Discards kept messages, at a reset; listeners and ids continue. */
    clear(): void {
      kept = [];
    },

    /**
     * Call it after the commit of the reported change. `read` may be called later, or never; the publisher redacts its
     * result, as in the journal. A message that is not kept goes to present listeners only.
     */
    publish(type: StreamType, read: () => object, { isKept }: { isKept: boolean } = { isKept: true }): void {
      const message = { id: nextId++, type, read };
      if (isKept && kept.push(message) > KEPT_MESSAGES) kept.shift();
      if (subscribers.size === 0) return;
      const listeners = [...subscribers].filter(([, wants]) => wants(message));
      const text = listeners.length > 0 ? wireText(message) : undefined;
      if (text !== undefined) for (const [subscriber] of listeners) subscriber.push(text);
    },
    open,
    handlers: {
      'GET /_kyclone/stream': ({ query, headers, clientGone }) =>
        answer(open(query, headers['last-event-id'], clientGone()), ENDLESS),
    } satisfies Handlers<KeysUnder<'/_kyclone/stream'>>,
    /** Ends every open stream, and later ones at once. Call it before the port is closed. */
    close(): void {
      isClosed = true;
      for (const subscriber of subscribers.keys()) subscriber.end();
    },
  };
}

function wantedTypes(types: string | undefined): ReadonlySet<string> {
  const wanted = types === undefined ? [] : listParameter('types', types);
  if (!wanted.every((type) => STREAM_TYPES.some((known) => known === type))) {
    throw invalid(`Query parameter types must be a comma-separated list of ${STREAM_TYPES.join(', ')}`);
  }
  return new Set(wanted.length > 0 ? wanted : STREAM_TYPES);
}

/**
 * Undefined when it can't be read: a failure here must not affect the publisher, which has yet to send its response.
 */
function wireText({ id, type, read }: Message): string | undefined {
  return attempt(() => `id: ${id}\nevent: ${type}\ndata: ${jsonText(read())}\n\n`);
}

/** The connection isn't reused, since a stop that ended the stream would wait for it. */
const ENDLESS = { connection: 'close' };
