import type { KeysUnder } from '../handlers.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Stream } from './service.ts';

export { createStream, type Stream } from './service.ts';

/** The connection isn't reused, since a stop that ended the stream would wait for it. */
const ENDLESS = { connection: 'close' };

export function streamHandlers(stream: Stream): Handlers<KeysUnder<'/_kyclone/stream'>> {
  return {
    'GET /_kyclone/stream': ({ query, headers, clientGone }) =>
      answer(stream.open(query, headers['last-event-id'], clientGone()), ENDLESS),
  };
}
