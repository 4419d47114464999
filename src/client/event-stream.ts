/** Opens the daemon's stream of server-sent events (contract §11). */
import type { StreamType } from '../nouns/stream/endpoints.ts';
import { withoutLastSlashes } from '../kernel/text/text.ts';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import { decodeAnswer } from './client.ts';
import { authorization, type Connection } from './credentials.ts';
import { openKnown } from './known-daemon.ts';
import { messagesOf, type StreamMessage } from './server-sent-events.ts';
import { wholeBody } from './transport.ts';
import { defined } from '../kernel/defined.ts';

export interface StreamOptions<T extends StreamType> {
  readonly types: readonly T[];
  /** `id` of the last message received. The stream first sends the later messages that the daemon has kept. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal | undefined;
}

/** Three missed comment lines of the daemon (contract §11: one every 15 s). */
const LONGEST_SILENCE_MS = 45 * SECOND_MS;

/**
 * Opens the stream; resolves when the response begins. The messages can be read only once. They end when the daemon
 * ends them or `signal` fires. Throws ApiError, MissingCredentialError and UnreachableError; reading the messages can
 * throw UnreachableError too.
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
      ...defined({ 'last-event-id': lastEventId }),
    },
    timeoutMs: LONGEST_SILENCE_MS,
    signal,
  };
  const { status, headers, body } = await openKnown(request, connection);
  if (status !== 200) decodeAnswer({ status, headers, body: await wholeBody(body) });
  return messagesOf(body, new Set(types), signal);
}
