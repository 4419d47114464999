/**
 * Server-sent events: the parser, as the HTML standard defines it (§9.2.6), and the daemon's stream as typed messages
 * (contract §11).
 */
import { jsonOf, withExactCustomValues } from '../kernel/text/json.ts';
import type { AnswerOf } from '../contract/registry.ts';
import type { StreamType } from '../nouns/stream/endpoints.ts';

export interface ServerSentEvent {
  /** `message` if the sender names no type. */
  readonly type: string;
  readonly data: string;
  /** The id of this event. An event without one has the id of the last event that had one, or undefined. */
  readonly id: string | undefined;
}

/**
 * Takes chunks of any size and returns the events that each chunk completes. An incomplete event at the end is
 * dropped.
 */
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
    // If the next chunk begins with a line feed, it belongs to this line end.
    if (text.endsWith('\r')) skipsLineFeed = true;
    return lines.flatMap(line);
  };
}

/** The data of each message type, as far as any code here reads it. */
export interface StreamData {
  readonly request: Readonly<Record<string, unknown>>;
  readonly access: AnswerOf<'GET /_kyclone/access-log'>['data'][number];
  readonly event: AnswerOf<'GET /_kyclone/events'>['data'][number] & StreamSpace;
  readonly delivery: AnswerOf<'GET /_kyclone/deliveries'>['data'][number] & StreamSpace;
  readonly onboarding: Readonly<Record<string, unknown>>;
  readonly clock: Readonly<Record<string, unknown>>;
  readonly fault: Readonly<Record<string, unknown>>;
}

/** The tenant and environment of the message, if it names them. */
interface StreamSpace {
  readonly tenant?: string;
  readonly environment?: string;
}

export type StreamMessage<T extends StreamType = StreamType> = {
  readonly [K in T]: { readonly type: K; readonly id: string | undefined; readonly data: StreamData[K] };
}[T];

/** The messages of these types in a response to `GET /_kyclone/stream`. They end without an error when `signal` fires. */
export async function* messagesOf<T extends StreamType>(
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

/** Undefined if the data is not JSON. */
function asMessage<T extends StreamType>({ type, data, id }: ServerSentEvent): StreamMessage<T> | undefined {
  const value = withExactCustomValues(jsonOf(data), data);
  return value === undefined ? undefined : ({ type, id, data: value } as StreamMessage<T>);
}
