/**
 * The file of a request, read from real connections: raw bodies, clients that disconnect, and handlers that stop early.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { ServiceError } from '../../src/kernel/errors.ts';
import { KIB, MIB } from '../../src/kernel/numbers/units.ts';
import {
  BOUNDARY,
  CHUNKED,
  chunk,
  cut,
  DISPOSITION,
  fileForm,
  FORM_TYPE,
  headOf,
  LAST_CHUNK,
  lengthOf,
  REFUSALS,
  startUploads,
  takeAll,
  until,
  UPLOAD_LIMIT_BYTES,
  type Take,
} from '../support/uploads.ts';
import { testWith } from '../support/test-with.ts';

const test = testWith(startUploads);

const PROPERTY_RUNS = 60;
/** The most bytes that the process may hold at once, for a body of any size. */
const HELD_LIMIT_BYTES = 512 * KIB;

async function send(headers: string[], ...pieces: (string | Buffer)[]) {
  await using uploads = await startUploads();
  return await uploads.send(headers, ...pieces);
}

describe('a raw body', () => {
  test('content: every byte arrives as it was sent, however the network cuts it', async (uploads) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 500 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.boolean(),
        async (content, places, isChunked) => {
          const bytes = Buffer.from(content);
          const pieces = cut(bytes, places);
          const outcome = isChunked
            ? await uploads.send([CHUNKED], ...pieces.map(chunk), LAST_CHUNK)
            : await uploads.send([lengthOf(bytes)], ...pieces);

          expect(outcome.bytes).toEqual(bytes);
          expect(outcome.size).toBe(bytes.length);
        },
      ),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('content: nothing is read before it is requested', async () => {
    let wasRead: boolean | undefined;
    await using uploads = await startUploads(async (upload, request) => {
      await until(() => request.readableLength > 0 || request.readableDidRead);
      wasRead = request.readableDidRead;
      return takeAll(upload);
    });

    await uploads.send([lengthOf('abc')], 'abc');

    expect(wasRead).toBe(false);
  });

  test('bytesRead: counts the bytes passed on', async () => {
    const sizes: number[][] = [];
    await using uploads = await startUploads(async (upload) => {
      sizes.push([0, upload.bytesRead]);
      for await (const { length } of upload.content) sizes.push([length, upload.bytesRead]);
      return {};
    });

    await uploads.send([lengthOf('abcdef')], 'a', 'bc', 'def');

    expect(sizes).toEqual([
      [0, 0],
      [1, 1],
      [2, 3],
      [3, 6],
    ]);
  });

  test.each([
    ['is kept with its parameters', 'content-type:  Text/CSV; a="b; c" ;d=e ', 'Text/CSV; a="b; c" ;d=e'],
    ['of another multipart is that of a file', 'content-type: multipart/mixed', 'multipart/mixed'],
    ['has up to 255 characters', `content-type: a/${'b'.repeat(253)}`, `a/${'b'.repeat(253)}`],
    ['is application/octet-stream when absent', 'x-other: 1', 'application/octet-stream'],
    ['is application/octet-stream when empty', 'content-type: ', 'application/octet-stream'],
  ])('content type: %s', async (_what, header, type) => {
    expect(await send([header, lengthOf('a')], 'a')).toMatchObject({ status: 200, type });
  });

  test.each([
    'image',
    'image/',
    '/png',
    'im age/png',
    'image/png; x',
    'image/png, a/b',
    'a/b; c="d',
    'text/\u00fc',
    'text/plain; a="\u00fc"',
    `a/${'b'.repeat(254)}`,
  ])('content type: %s is refused', async (type) => {
    expect(await send([`content-type: ${type}`, lengthOf('a')], 'a')).toMatchObject(REFUSALS.notAType);
  });

  test('content encoding: identity is ignored', async () => {
    expect((await send(['content-encoding: Identity', lengthOf('a')], 'a')).status).toBe(200);
  });

  test('size: a content-length over the limit is refused before a byte of the body has come', async () => {
    expect(await send([`content-length: ${UPLOAD_LIMIT_BYTES + 1}`])).toMatchObject(REFUSALS.tooLarge);
  });

  test('size: without a content-length the body is refused as soon as it passes the limit', async (uploads) => {
    const connection = await uploads.begin([CHUNKED], chunk(Buffer.alloc(UPLOAD_LIMIT_BYTES)));
    const wasEarly = connection.hasAnswer();
    await connection.write(chunk('x'));

    expect(await connection.answer()).toMatchObject(REFUSALS.tooLarge);
    expect(wasEarly).toBe(false);
  });
});

describe('a client that goes away', () => {
  const CUT_OFF = { code: 'invalid_request', message: 'The upload was cut off' };

  test.eachWith([
    ['within its content-length', ['content-length: 10'], 'abc'],
    ['between two chunks', [CHUNKED], chunk('abc')],
    ['within the head of a form', [FORM_TYPE, 'content-length: 1000'], fileForm('abc').subarray(0, 30)],
    ['within the file of a form', [FORM_TYPE, 'content-length: 1000'], fileForm('abc').subarray(0, -20)],
    ['behind a whole form', [FORM_TYPE, 'content-length: 1000'], fileForm('abc')],
  ])('cut off: %s', async (uploads, _where, headers, start) => {
    (await uploads.begin(headers, start)).socket.destroy();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: by closing its side before the content-length is reached', async (uploads) => {
    (await uploads.begin(['content-length: 10'], 'abc')).socket.end();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: by invalid chunks', async (uploads) => {
    await uploads.begin([CHUNKED], '3\r\nabc\r\nzz\r\n');

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: before the content was requested', async () => {
    await using uploads = await startUploads(async (upload, request) => {
      await until(() => request.destroyed);
      return takeAll(upload);
    });

    (await uploads.begin(['content-length: 10'], 'abc')).socket.destroy();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });
});

describe.each(['raw', 'form'])('endpoints with a %s body', (kind) => {
  const bodyOf = (content: Buffer) => (kind === 'form' ? fileForm(content) : content);
  const typeHeaders = kind === 'form' ? [FORM_TYPE] : [];

  const stopAfterOne: Take = async (upload) => {
    for await (const { length } of upload.content) return { length };
    return {};
  };
  const throwAfterOne: Take = async (upload) => {
    for await (const { length } of upload.content) throw new ServiceError('conflict', `stopped at ${length}`);
    return {};
  };
  const leaveAlone: Take = (_upload, request) => {
    // readUpload asks a handler that ignores a form to resume the request. A raw body doesn't need it.
    if (kind === 'form') request.resume();
    return Promise.resolve({});
  };

  test.each([
    ['leaves the loop', 200, stopAfterOne],
    ['throws', 409, throwAfterOne],
    ['leaves the content alone', 200, leaveAlone],
  ])(
    'stop: when it %s it answers, and the connection serves the next request',
    async (_how, status, stop) => {
      await using uploads = await startUploads((upload, request) =>
        (uploads.requests.length === 1 ? stop : takeAll)(upload, request),
      );
      const body = bodyOf(Buffer.alloc(UPLOAD_LIMIT_BYTES, 1));

      const connection = await uploads.begin([lengthOf(body), ...typeHeaders], body.subarray(0, KIB));
      const first = await connection.answer();
      connection.socket.write(body.subarray(KIB));
      connection.socket.write(headOf(lengthOf('next')) + 'next');

      expect(first.status).toBe(status);
      expect((await connection.answer()).bytes.toString()).toBe('next');
    },
  );

  test('stop: a client that goes away afterwards does no harm', async () => {
    await using uploads = await startUploads(stopAfterOne);

    const headers = ['content-length: 10000', ...typeHeaders];
    const connection = await uploads.begin(headers, bodyOf(Buffer.from('abc')));
    await connection.answer();
    connection.socket.destroy();
    await until(() => uploads.sockets[0]?.destroyed);

    expect((await uploads.send([lengthOf('abc')], 'abc')).status).toBe(200);
  });

  test('413: a client that continues to send can read it, and its next request is served', async (uploads) => {
    const start = chunk(kind === 'form' ? `--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n` : 'x');
    const connection = await uploads.begin([CHUNKED, ...typeHeaders], start);
    while (!connection.hasAnswer()) await connection.write(chunk(Buffer.alloc(16 * KIB)));
    const refusal = await connection.answer();
    for (let more = 0; more < 32; more += 1) await connection.write(chunk(Buffer.alloc(32 * KIB)));
    await connection.write(LAST_CHUNK + headOf(lengthOf('next')) + 'next');

    expect(refusal).toMatchObject(REFUSALS.tooLarge);
    expect((await connection.answer()).bytes.toString()).toBe('next');
  });

  test('listeners: none stays behind on the request or its connection', async () => {
    const left: number[] = [];
    const onSocket = new Set<number>();
    await using uploads = await startUploads(async (upload, request) => {
      const take = [takeAll, stopAfterOne, throwAfterOne][uploads.requests.length % 3] ?? takeAll;
      try {
        return await take(upload, request);
      } finally {
        left.push(listenersOf(request));
      }
    });
    const connection = await uploads.connect();
    const body = bodyOf(Buffer.from('abc'));

    for (let turn = 0; turn < 12; turn += 1) {
      await connection.write(headOf(lengthOf(body), ...typeHeaders));
      await connection.write(body);
      await connection.answer();
      onSocket.add(listenersOf(uploads.sockets[0]));
    }

    expect(left).toEqual(Array<number>(12).fill(0));
    expect(onSocket.size).toBe(1);
  });

  test('pace: one that is slow halts the sender of 10 MiB, and little is held meanwhile', async () => {
    let pauses = 0;
    let held = 0;
    await using uploads = await startUploads(async (upload, request) => {
      const { socket } = request;
      for await (const { length } of upload.content) {
        await until(() => socket.isPaused() || request.complete);
        if (socket.isPaused()) pauses += 1;
        held = Math.max(held, length + socket.bytesRead - upload.bytesRead);
      }
      return { size: upload.bytesRead };
    }, 10 * MIB);
    const connection = await uploads.connect();
    const body = bodyOf(Buffer.alloc(10 * MIB, 5));

    connection.socket.write(headOf(lengthOf(body), ...typeHeaders));
    connection.socket.write(body);

    expect((await connection.answer()).size).toBe(10 * MIB);
    expect(pauses).toBeGreaterThan(0);
    expect(held).toBeLessThan(HELD_LIMIT_BYTES);
  });
});

function listenersOf(emitter: IncomingMessage | Socket | undefined): number {
  if (!emitter) throw new Error('no connection yet');
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}
