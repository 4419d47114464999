/**
 * Server-sent events: the parser, as the HTML standard has it (§9.2.6), and the daemon's stream as typed messages
 * (contract §11).
 */
import { withoutLastSlashes } from '../kernel/base-url.ts';
import type { AnswerOf } from '../contract/registry.ts';
import type { StreamType } from '../contract/stream.ts';
import { SECOND_MS } from '../kernel/units.ts';
import { decodeAnswer } from './client.ts';
import { authorization, type Connection } from './credentials.ts';
import { openKnown } from './known-daemon.ts';
import { wholeBody } from './transport.ts';

export interface ServerSentEvent {
  /** `message` when the sender names none. */
  readonly type: string;
  readonly data: string;
  /** The id of this event; without one, that of the last event that had one; undefined before that. */
  readonly id: string | undefined;
}

/** Takes bytes as they come, cut anywhere; returns the events that they complete. One that breaks off is left out. */
export function serverSentEventParser(): (chunk: Uint8Array) => ServerSentEvent[] {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let skipsLineFeed = false;
  let type = '';
  let data: string[] = [];
  let id: string | undefined;

  function field(name: string, value: string): void {
    if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value === '' ? undefined : value;
  }

  function complete(): ServerSentEvent[] {
    const events = data.length === 0 ? [] : [{ type: type || 'message', data: data.join('\n'), id }];
    type = '';
    data = [];
    return events;
  }

  function line(text: string): ServerSentEvent[] {
    if (text === '') return complete();
    const colon = text.indexOf(':');
    if (colon === -1) field(text, '');
    else if (colon > 0) field(text.slice(0, colon), text.slice(colon + 1).replace(/^ /, ''));
    return [];
  }

  return (chunk) => {
    let text = decoder.decode(chunk, { stream: true });
    if (skipsLineFeed && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      skipsLineFeed = false;
    }
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    // A line feed that follows in the next chunk belongs to this line end.
    if (text.endsWith('\r')) skipsLineFeed = true;
    return lines.flatMap(line);
  };
}

/** What the messages of each type hold, as far as something here reads it. */
export interface StreamData {
  readonly request: Readonly<Record<string, unknown>>;
  readonly access: AnswerOf<'GET /_kyclone/access-log'>['data'][number];
  readonly event: AnswerOf<'GET /_kyclone/events'>['data'][number] & StreamSpace;
  readonly delivery: AnswerOf<'GET /_kyclone/deliveries'>['data'][number] & StreamSpace;
  readonly onboarding: Readonly<Record<string, unknown>>;
  readonly clock: Readonly<Record<string, unknown>>;
  readonly fault: Readonly<Record<string, unknown>>;
}

/** The space of the message, where it names one. */
interface StreamSpace {
  readonly tenant?: string;
  readonly environment?: string;
}

export type StreamMessage<T extends StreamType = StreamType> = {
  readonly [K in T]: { readonly type: K; readonly id: string | undefined; readonly data: StreamData[K] };
}[T];

export interface StreamOptions<T extends StreamType> {
  readonly types: readonly T[];
  /** `id` of the last message seen: what is kept of those after it comes first. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream, quietly. */
  readonly signal?: AbortSignal | undefined;
}

/** Three comment lines of the daemon that didn't come (contract §11: one every 15 s). */
const LONGEST_SILENCE_MS = 45 * SECOND_MS;

/**
 * Opens the stream; resolves when the daemon has begun to answer. Its messages are to be read once. They end when the
 * daemon ends them or `signal` fires. Throws ApiError, MissingCredentialError, and UnreachableError, that one also
 * while messages are read.
 */
export async function openStream<T extends StreamType>(
  connection: Connection,
  { types, lastEventId, signal }: StreamOptions<T>,
): Promise<AsyncIterable<StreamMessage<T>>> {
  const path = `/_kyclone/stream?types=${types.join(',')}`;
  const request = {
    method: 'GET',
    url: new URL(withoutLastSlashes(connection.baseUrl) + path),
    headers: {
      accept: 'text/event-stream',
      ...authorization({ path, headers: {} }, connection),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    timeoutMs: LONGEST_SILENCE_MS,
    signal,
  };
  const { status, headers, body } = await openKnown(request, connection);
  if (status !== 200) decodeAnswer({ status, headers, body: await wholeBody(body) });
  return messagesOf(body, new Set(types), signal);
}

async function* messagesOf<T extends StreamType>(
  body: AsyncIterable<Uint8Array>,
  types: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage<T>> {
  const parse = serverSentEventParser();
  try {
    for await (const chunk of body) {
      for (const event of parse(chunk)) {
        const message = types.has(event.type) ? asMessage<T>(event) : undefined;
        if (message !== undefined) yield message;
      }
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

/** Undefined for what isn't JSON. */
function asMessage<T extends StreamType>({ type, data, id }: ServerSentEvent): StreamMessage<T> | undefined {
  try {
    return { type, id, data: JSON.parse(data) as unknown } as StreamMessage<T>;
  } catch {
    return undefined;
  }
}
