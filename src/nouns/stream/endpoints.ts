/** The live stream of an instance (contract §11). */
import { Type } from '@sinclair/typebox';
import { STREAM_TYPES, type StreamType } from '../control/facts.ts';
import { controlToken, endpoint, type Stability } from '../../contract/endpoint.ts';
import { EXPECTS } from '../../contract/expectation.ts';
import { FileContent } from '../../contract/shapes.ts';

export { STREAM_TYPES, type StreamType };

export const streamEndpoints = [
  endpoint('GET /_kyclone/stream', {
    operationId: 'streamActivity',
    stability: 'emulator' satisfies Stability,
    auth: controlToken,
    query: Type.Object({
      types: Type.Optional(
        Type.String({ description: `a comma list of ${STREAM_TYPES.join(', ')}; all by default` }),
      ),
      follow: Type.Optional(
        Type.Boolean({ description: 'true or false; false ends the response after past messages' }),
      ),
    }),
    headers: Type.Object({
      'last-event-id': Type.Optional(
        Type.String({
          pattern: '^[0-9]{1,16}$',
          description: 'the id of the last message seen',
          [EXPECTS]: 'the id of a message of this stream',
        }),
      ),
    }),
    response: FileContent,
    produces: 'text/event-stream; charset=utf-8',
    answers: 'server-sent events, each of one of the types, with JSON data',
    assumed: [
      { what: 'follow=false returns stored messages and ends', why: 'ours: a script needs an end' },
      {
        what: 'without Last-Event-ID the stream begins with the next message; with follow=false it begins with the oldest stored one',
        why: 'ours: follows from the meaning of follow',
      },
    ],
    summary: 'The journal, events, deliveries and more as they happen, as server-sent events',
  }),
] as const;
