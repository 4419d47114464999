import { ExactNumber } from '../../src/kernel/text/json.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openStream } from '../../src/client/event-stream.ts';
import { serverSentEventParser, type StreamMessage } from '../../src/client/server-sent-events.ts';
import { answerJson } from '../support/loopback.ts';
import { provingServer } from '../support/proving-server.ts';

function parse(...chunks: (string | Uint8Array)[]) {
  const parser = serverSentEventParser();
  return chunks.flatMap((chunk) => parser(typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk));
}

const TEXT =
  '\ufeff: a comment\nid: 7\nevent: delivery\ndata: {"a":\ndata: "ü€😀"}\n\n' +
  'data:first\r\ndata:second\r\n\r\nevent: clock\rdata\rretry: 10\r\r:\n\nid\ndata:  kept blank \n\ndata: cut off';
const EVENTS = [
  { type: 'delivery', data: '{"a":\n"ü€😀"}', id: '7' },
  { type: 'message', data: 'first\nsecond', id: '7' },
  { type: 'clock', data: '', id: '7' },
  { type: 'message', data: ' kept blank ', id: undefined },
];

describe('serverSentEventParser', () => {
  test('serverSentEventParser: comments, every line end, several data lines, ids and a byte order mark', () => {
    expect(parse(TEXT)).toEqual(EVENTS);
  });

  test('serverSentEventParser: the same events, wherever the bytes are cut', () => {
    const bytes = Buffer.from(TEXT, 'utf8');
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: bytes.length })), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(parse(...chunks)).toEqual(EVENTS);
      }),
    );
    expect(parse(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
  });

  test('serverSentEventParser: a block without data is no event, and its type is forgotten', () => {
    expect(parse('event: clock\nid: 3\n\ndata: x\n\n')).toEqual([{ type: 'message', data: 'x', id: '3' }]);
  });

  test('serverSentEventParser: an id with a null character is ignored, and so are unknown fields', () => {
    expect(parse('id: 1\0\nfoo: bar\ndata: x\n\n')).toEqual([{ type: 'message', data: 'x', id: undefined }]);
  });

  test('serverSentEventParser: a byte order mark counts at the very beginning only', () => {
    expect(parse('data: a\n\n\ufeffdata: b\n\n')).toEqual([{ type: 'message', data: 'a', id: undefined }]);
  });
});

async function collect(messages: AsyncIterable<StreamMessage>): Promise<StreamMessage[]> {
  const all: StreamMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const KNOWING = { controlToken: 'control' };
const connectionTo = (baseUrl: string) => ({ baseUrl, controlToken: 'control' });

describe('openStream', () => {
  test('openStream: asks with the control token and the last id, answers typed messages of the types', async () => {
    await using server = await provingServer(KNOWING, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        'id: 8\nevent: event\ndata: {"id":"evt_1","body":{"custom.a":1.0}}\n\nevent: fault\ndata: {}\n\nevent: event\ndata: {\n\n',
      );
    });
    const stream = await openStream(connectionTo(server.url), { types: ['event'], lastEventId: '7' });
    const data = { id: 'evt_1', body: { 'custom.a': new ExactNumber('1.0') } };
    expect(await collect(stream)).toEqual([{ type: 'event', id: '8', data }]);
    expect(server.seen[0]).toMatchObject({
      url: '/_kyclone/stream?types=event',
      headers: { authorization: 'Bearer control', 'last-event-id': '7', accept: 'text/event-stream' },
    });
  });

  test('openStream: a refusal is the error that the daemon names', async () => {
    await using server = await provingServer(
      KNOWING,
      answerJson(401, { code: 'unauthenticated', message: 'no' }),
    );
    const stream = openStream(connectionTo(server.url), { types: ['event'] });
    await expect(stream).rejects.toMatchObject({ name: 'ApiError', code: 'unauthenticated', status: 401 });
  });

  test('openStream: a connection that breaks is a failure, after what came before', async () => {
    await using server = await provingServer(KNOWING, (_, response) => {
      response.writeHead(200);
      response.write('event: event\ndata: {}\n\n', () => response.destroy());
    });
    const seen: StreamMessage[] = [];
    const reading = async () => {
      for await (const message of await openStream(connectionTo(server.url), { types: ['event'] })) {
        seen.push(message);
      }
    };
    await expect(reading()).rejects.toMatchObject({ name: 'UnreachableError' });
    expect(seen).toHaveLength(1);
  });

  test('openStream: its signal ends it quietly while nothing comes', async () => {
    await using server = await provingServer(KNOWING, (_, response) => {
      response.writeHead(200);
      response.write('event: event\ndata: {}\n\n');
    });
    const over = new AbortController();
    const stream = await openStream(connectionTo(server.url), { types: ['event'], signal: over.signal });
    const seen: string[] = [];
    for await (const { type } of stream) {
      seen.push(type);
      setImmediate(() => over.abort());
    }
    expect(seen).toEqual(['event']);
  });
});
