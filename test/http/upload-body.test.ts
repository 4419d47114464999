/** The file of a request, read from real connections: what HTTP clients send, and what only a raw socket does. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorEntry } from '../../src/contract/errors.ts';
import { readUpload, type MeasuredUpload } from '../../src/http/upload.ts';
import { KIB, MIB } from '../../src/kernel/units.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { parseAnswers } from '../support/raw-socket.ts';

const LIMIT_BYTES = 100 * KIB;
const BOUNDARY = 'aXbXc.Boundary';
const PROPERTY_RUNS = 60;

type Take = (upload: MeasuredUpload, request: IncomingMessage) => Promise<Record<string, unknown>>;

interface Outcome {
  readonly status: number;
  readonly text: string;
  readonly code?: string;
  readonly message?: string;
  readonly type?: string;
  readonly bytes?: Buffer;
  readonly size?: number;
}

async function takeAll(upload: MeasuredUpload): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of upload.content) chunks.push(chunk);
  const base64 = Buffer.concat(chunks).toString('base64');
  return { type: upload.contentType, base64, size: upload.bytesRead };
}

/** A server whose every request is an upload; `failures` are what the uploads threw, in their order. */
async function startUploads(take: Take = takeAll, limitBytes = LIMIT_BYTES) {
  const failures: ServiceError[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    void readUpload(request, limitBytes)
      .then((upload) => take(upload, request))
      .then(
        (answer) => ({ status: 200, answer }),
        (failure: unknown) => {
          if (!(failure instanceof ServiceError)) throw failure;
          failures.push(failure);
          const { code, message } = failure;
          return { status: errorEntry(code).status, answer: { code, message } };
        },
      )
      .then(({ status, answer }) => {
        const text = JSON.stringify(answer);
        response.writeHead(status, { 'content-length': Buffer.byteLength(text) }).end(text);
      });
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    failures,
    requests,
    sockets,
    /** Answers the first failure, which an upload that lost its client can tell nobody. */
    failure: () => until(() => failures[0]),
    connect: () => openConnection(port, () => sockets.at(-1)),
    /** One request on a connection of its own, each piece alone on the wire. */
    async send(head: string[], ...pieces: (string | Buffer)[]): Promise<Outcome> {
      const connection = await this.connect();
      await connection.write(headOf('connection: close', ...head));
      for (const piece of pieces) await connection.write(piece);
      return connection.answer();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openConnection(port: number, accepted: () => Socket | undefined) {
  const received: Buffer[] = [];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  socket.on('data', (chunk) => received.push(chunk));
  // A server that closes while we still write is what some tests are about.
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const serverSide = await until(accepted);
  let sent = 0;
  let answered = 0;
  return {
    socket,
    hasAnswer: () => parsed(received).length > answered,
    /** Sends, and waits until the server has these bytes. */
    async write(bytes: string | Buffer): Promise<void> {
      socket.write(bytes);
      sent += Buffer.byteLength(bytes);
      await until(() => serverSide.bytesRead >= sent || serverSide.destroyed || undefined);
      await nextTurn();
    },
    /** The next answer on this connection. */
    async answer(): Promise<Outcome> {
      const { status, text } = await until(() => parsed(received)[answered] ?? (socket.closed && gone()));
      answered += 1;
      const body = (text === '' ? {} : JSON.parse(text)) as Outcome & { base64?: string };
      return { ...body, status, text, bytes: Buffer.from(body.base64 ?? '', 'base64') };
    },
  };
}

function gone(): never {
  throw new Error('the connection was closed without an answer');
}

function parsed(received: Buffer[]) {
  const text = Buffer.concat(received).toString();
  return text.includes('\r\n\r\n') ? parseAnswers(text) : [];
}

/** Waits for a state, not for a time. */
async function until<T>(find: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await nextTurn();
  }
}

const headOf = (...headers: string[]) => ['POST / HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
const lengthOf = (bytes: string | Buffer) => `content-length: ${Buffer.byteLength(bytes)}`;
const CHUNKED = 'transfer-encoding: chunked';
const LAST_CHUNK = '0\r\n\r\n';
const chunk = (bytes: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
const FORM_TYPE = `content-type: multipart/form-data; boundary=${BOUNDARY}`;
const DISPOSITION = 'Content-Disposition: form-data; name="upload_file"';

const part = (content: string | Buffer, ...headers: string[]) =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
const formOf = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
const fileForm = (content: string | Buffer, ...headers: string[]) =>
  formOf(part(content, ...(headers.length > 0 ? headers : [DISPOSITION])));

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges
    .slice(1)
    .map((edge, index) => bytes.subarray(edges[index], edge))
    .filter((piece) => piece.length > 0);
}

const TOO_LARGE = {
  status: 413,
  code: 'payload_too_large',
  message: `The body is over the limit of ${LIMIT_BYTES} bytes`,
};
const invalid = (message: string) => ({ status: 400, code: 'invalid_request', message });
const EMPTY = invalid('The body is empty; an upload has at least one byte');
const CUT_OFF = { code: 'invalid_request', message: 'The upload was cut off' };
const ONE_PART = invalid('The form must hold exactly one part, the file, named upload_file');

describe('a raw body', () => {
  test('content: every byte arrives as it was sent, however the network cuts it', async () => {
    await using uploads = await startUploads();
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

  test('content: nothing is read before somebody asks for it', async () => {
    const hasBeenRead: boolean[] = [];
    await using uploads = await startUploads(async (upload, request) => {
      await nextTurn();
      hasBeenRead.push(request.readableDidRead);
      return takeAll(upload);
    });

    const { size } = await uploads.send([lengthOf('abc')], 'abc');

    expect([hasBeenRead, size]).toEqual([[false], 3]);
  });

  test('bytesRead: grows with what has been passed on', async () => {
    const sizes: number[] = [];
    await using uploads = await startUploads(async (upload) => {
      sizes.push(upload.bytesRead);
      for await (const _ of upload.content) sizes.push(upload.bytesRead);
      return {};
    });

    await uploads.send([lengthOf('abcdef')], 'ab', 'cd', 'ef');

    expect(sizes).toEqual([0, 2, 4, 6]);
  });

  test.each([
    [
      'kept with its parameters',
      'content-type:  Text/CSV; charset="a b"; header=x  ',
      'Text/CSV; charset="a b"; header=x',
    ],
    [
      'another multipart is a file',
      'content-type: multipart/mixed; boundary=a',
      'multipart/mixed; boundary=a',
    ],
    ['255 characters are not too long', `content-type: a/${'b'.repeat(253)}`, `a/${'b'.repeat(253)}`],
    ['absent it is application/octet-stream', 'x-other: 1', 'application/octet-stream'],
    ['empty it is application/octet-stream', 'content-type:', 'application/octet-stream'],
  ])('content type: %s', async (_what, header, type) => {
    await using uploads = await startUploads();

    expect(await uploads.send([header, lengthOf('a')], 'a')).toMatchObject({ status: 200, type });
  });

  test.each(['image', 'image/', 'im age/png', 'image/png; x', 'image/png, a/b', 'a/b; c="d', 'text/\u00fc'])(
    'content type: %s is none, and is not repeated in the answer',
    async (type) => {
      await using uploads = await startUploads();

      const outcome = await uploads.send([lengthOf('a')].concat(`content-type: ${type}`), 'a');

      expect(outcome).toMatchObject(invalid('Header content-type is not a media type'));
    },
  );

  test('content type: one that is too long, or made to be hard to judge, is none', async () => {
    await using uploads = await startUploads();
    for (const type of [`a/${'b'.repeat(254)}`, `a/b${'; '.repeat(120)}!`, `a/b${' '.repeat(30 * KIB)}!`]) {
      expect((await uploads.send([`content-type: ${type}`, lengthOf('a')], 'a')).status).toBe(400);
    }
  });

  test('content encoding: an encoded body is 415', async () => {
    await using uploads = await startUploads();
    for (const encoding of ['gzip', 'identity, br']) {
      const outcome = await uploads.send([`content-encoding: ${encoding}`, lengthOf('a')], 'a');
      expect([outcome.status, outcome.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test('content encoding: identity is none', async () => {
    await using uploads = await startUploads();

    expect((await uploads.send(['content-encoding: Identity', lengthOf('a')], 'a')).status).toBe(200);
  });

  test('size: a file of exactly the limit is taken', async () => {
    await using uploads = await startUploads();
    const body = Buffer.alloc(LIMIT_BYTES, 7);

    expect((await uploads.send([lengthOf(body)], body)).size).toBe(LIMIT_BYTES);
  });

  test('size: a content-length over the limit is refused before a byte of the body has come', async () => {
    await using uploads = await startUploads();

    const outcome = await uploads.send([`content-length: ${LIMIT_BYTES + 1}`]);

    expect(outcome).toMatchObject(TOO_LARGE);
    expect(uploads.requests[0]?.readableDidRead).toBe(false);
  });

  test('size: without a content-length the body is refused as soon as it passes the limit', async () => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();

    await connection.write(headOf(CHUNKED));
    await connection.write(chunk(Buffer.alloc(LIMIT_BYTES)));
    expect(connection.hasAnswer()).toBe(false);
    await connection.write(chunk('x'));

    expect(await connection.answer()).toMatchObject(TOO_LARGE);
  });

  test('size: a body of content-length 0 is empty', async () => {
    await using uploads = await startUploads(() => Promise.reject(new Error('content was offered')));

    expect(await uploads.send(['content-length: 0'])).toMatchObject(EMPTY);
  });

  test('size: a body that ends without a byte is empty', async () => {
    await using uploads = await startUploads();

    expect(await uploads.send([CHUNKED], LAST_CHUNK)).toMatchObject(EMPTY);
    expect(await uploads.send([])).toMatchObject(EMPTY);
  });
});

describe('a client that goes away', () => {
  test.each([
    ['within its content-length', ['content-length: 10']],
    ['between two chunks', [CHUNKED]],
    ['within a form', [FORM_TYPE, 'content-length: 1000']],
    ['within the head of a form', [FORM_TYPE, 'content-length: 9999']],
  ])('cut off: %s', async (what, head) => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();
    const form = fileForm('abc').subarray(0, what.includes('head') ? 30 : -20);
    const start = { [CHUNKED]: chunk('abc'), [FORM_TYPE]: form }[head[0] ?? ''] ?? 'abc';

    await connection.write(headOf(...head));
    await connection.write(start);
    connection.socket.destroy();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: a sending side that is closed before the content-length is reached', async () => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();

    await connection.write(headOf('content-length: 10'));
    await connection.write('abc');
    connection.socket.end();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: chunks that are no chunks', async () => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();

    await connection.write(headOf(CHUNKED));
    await connection.write('3\r\nabc\r\nzz\r\n');

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });

  test('cut off: before anybody asked for the content', async () => {
    await using uploads = await startUploads(async (upload, request) => {
      await until(() => request.destroyed);
      return takeAll(upload);
    });
    const connection = await uploads.connect();

    await connection.write(headOf('content-length: 10'));
    await connection.write('abc');
    connection.socket.destroy();

    expect(await uploads.failure()).toMatchObject(CUT_OFF);
  });
});

describe('who stops taking', () => {
  const stops: Record<string, Take> = {
    'by leaving the loop': async (upload) => {
      for await (const _ of upload.content) break;
      return { stopped: true };
    },
    'by throwing': async (upload) => {
      for await (const _ of upload.content) throw new ServiceError('conflict', 'stopped');
      return {};
    },
    'before the first byte': (_upload, request) => {
      request.resume();
      return Promise.resolve({ stopped: true });
    },
  };

  test.each(
    Object.keys(stops).flatMap((how) => [
      [how, 'raw'],
      [how, 'form'],
    ]),
  )('stop: %s of a %s body leaves the connection to the next request', async (how, kind) => {
    let isFirst = true;
    await using uploads = await startUploads((upload, request) => {
      const take = isFirst ? stops[how] : takeAll;
      isFirst = false;
      return (take ?? takeAll)(upload, request);
    });
    const connection = await uploads.connect();
    const content = Buffer.alloc(LIMIT_BYTES, 1);
    const body = kind === 'form' ? fileForm(content) : content;

    await connection.write(headOf(lengthOf(body), ...(kind === 'form' ? [FORM_TYPE] : [])));
    await connection.write(body.subarray(0, KIB));
    const first = await connection.answer();
    connection.socket.write(body.subarray(KIB));
    connection.socket.write(headOf(lengthOf('next')) + 'next');
    const second = await connection.answer();

    expect(first.status).toBe(how === 'by throwing' ? 409 : 200);
    expect(second.bytes?.toString()).toBe('next');
  });

  test('413: is read by a client that goes on sending, whose next request is served', async () => {
    await using uploads = await startUploads();
    for (const kind of ['raw', 'form']) {
      const connection = await uploads.connect();
      const start = kind === 'form' ? `--${BOUNDARY}\r\n${DISPOSITION}\r\n\r\n` : 'x';

      await connection.write(headOf(CHUNKED, ...(kind === 'form' ? [FORM_TYPE] : [])));
      await connection.write(chunk(start));
      while (!connection.hasAnswer()) await connection.write(chunk(Buffer.alloc(16 * KIB)));
      const refusal = await connection.answer();
      for (let more = 0; more < 64; more += 1) await connection.write(chunk(Buffer.alloc(16 * KIB)));
      await connection.write(LAST_CHUNK + headOf(lengthOf('next')) + 'next');

      expect(refusal).toMatchObject(TOO_LARGE);
      expect((await connection.answer()).bytes?.toString()).toBe('next');
    }
  });

  test('listeners: none is left behind on the connection or the request, however an upload ends', async () => {
    const left: number[] = [];
    const count = (emitter: IncomingMessage | Socket | undefined) =>
      emitter?.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0) ?? 0;
    await using uploads = await startUploads(async (upload, request) => {
      const before = count(request);
      try {
        return await (uploads.requests.length % 2 === 0
          ? takeAll(upload)
          : (stops['by throwing'] ?? takeAll)(upload, request));
      } finally {
        left.push(count(request) - before);
      }
    });
    const connection = await uploads.connect();
    const onSocket: number[] = [];

    for (let turn = 0; turn < 12; turn += 1) {
      const body = turn % 3 === 0 ? Buffer.from('abc') : fileForm('abc');
      await connection.write(headOf(lengthOf(body), ...(turn % 3 === 0 ? [] : [FORM_TYPE])));
      await connection.write(body);
      await connection.answer();
      await nextTurn();
      onSocket.push(count(uploads.sockets[0]));
    }

    expect(left).toEqual(left.map(() => 0));
    expect(new Set(onSocket).size).toBe(1);
  });

  test.each(['raw', 'form'])('pace: a slow taker of a %s body of 10 MiB halts the sender', async (kind) => {
    const held: number[] = [];
    let pauses = 0;
    await using uploads = await startUploads(async (upload, request) => {
      for await (const _ of upload.content) {
        await until(() => request.socket.isPaused() || request.complete);
        if (request.socket.isPaused()) pauses += 1;
        held.push(request.socket.bytesRead - upload.bytesRead);
      }
      return { size: upload.bytesRead };
    }, 10 * MIB);
    const connection = await uploads.connect();
    const content = Buffer.alloc(10 * MIB, 5);
    const body = kind === 'form' ? fileForm(content) : content;

    connection.socket.write(headOf(lengthOf(body), ...(kind === 'form' ? [FORM_TYPE] : [])));
    connection.socket.write(body);

    expect((await connection.answer()).size).toBe(10 * MIB);
    expect(pauses).toBeGreaterThan(0);
    expect(Math.max(...held)).toBeLessThan(512 * KIB);
  });
});

describe('a form', () => {
  const post = async (body: Buffer, type = FORM_TYPE) => {
    await using uploads = await startUploads();
    return uploads.send([type, lengthOf(body)], body);
  };

  test('content: every byte of a file full of what looks like boundaries arrives, however it is cut', async () => {
    await using uploads = await startUploads();
    const delimiter = `\r\n--${BOUNDARY}`;
    const piece = fc.oneof(
      fc.nat({ max: delimiter.length - 1 }).map((length) => Buffer.from(delimiter.slice(0, length))),
      fc.nat({ max: delimiter.length - 1 }).map((start) => Buffer.from(delimiter.slice(start + 1))),
      fc
        .constantFrom('\r\n', '\r', '\n', '--', '\r\n\r\n', `\n--${BOUNDARY}--`)
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    );
    const content = fc
      .array(piece, { minLength: 1, maxLength: 12 })
      .map((pieces) => Buffer.concat(pieces))
      .filter(
        (bytes) => bytes.length > 0 && !Buffer.concat([Buffer.from('\r\n'), bytes]).includes(delimiter),
      );
    await fc.assert(
      fc.asyncProperty(content, fc.array(fc.nat(), { maxLength: 6 }), async (bytes, places) => {
        const body = fileForm(bytes);
        const outcome = await uploads.send([FORM_TYPE, lengthOf(body)], ...cut(body, places));

        expect(outcome.bytes).toEqual(bytes);
        expect(outcome.size).toBe(bytes.length);
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });

  test('content: arrives when each byte of the form is a segment of its own', async () => {
    await using uploads = await startUploads();
    const content = `\r\n--${BOUNDARY.slice(0, -1)}\r\n\r\n-\r`;
    const body = fileForm(content, 'Content-Type: a/b', DISPOSITION);

    const outcome = await uploads.send(
      [FORM_TYPE, lengthOf(body)],
      ...[...body].map((byte) => Buffer.of(byte)),
    );

    expect(outcome).toMatchObject({ status: 200, type: 'a/b', bytes: Buffer.from(content) });
  });

  test('content: what stands before the first and behind the last boundary is no part of it', async () => {
    await using uploads = await startUploads();
    const tail = `more\r\n--${BOUNDARY}\r\n`;
    const body = Buffer.concat([Buffer.from('read me\r\n\r\n'), fileForm('abc'), Buffer.from(tail)]);

    expect(
      (await uploads.send([FORM_TYPE, CHUNKED], chunk(body), chunk(tail), LAST_CHUNK)).bytes?.toString(),
    ).toBe('abc');
  });

  test.each([
    ['a file', new File(['\r\n\u00fc'], 'a "b"\\.png', { type: 'image/png' }), 'image/png'],
    ['a file of no type', new File(['\r\n\u00fc'], '\u00fc.bin'), 'application/octet-stream'],
    ['text without a file name', '\r\n\u00fc', 'application/octet-stream'],
  ])('FormData of fetch: %s', async (_what, value, type) => {
    await using uploads = await startUploads();
    const form = new FormData();
    form.set('upload_file', value);

    const response = await fetch(uploads.url, { method: 'POST', body: form });
    const base64 = Buffer.from('\r\n\u00fc').toString('base64');

    expect(await response.json()).toEqual({ type, base64, size: 4 });
  });

  test.each([
    ['as sent', ['Content-Type:  Image/PNG; a="b c" ', DISPOSITION], 'Image/PNG; a="b c"'],
    ['absent it is application/octet-stream', [DISPOSITION], 'application/octet-stream'],
    ['empty it is application/octet-stream', [DISPOSITION, 'content-type: '], 'application/octet-stream'],
  ])('content type of the part: %s', async (_what, headers, type) => {
    expect(await post(fileForm('a', ...headers))).toMatchObject({ status: 200, type });
  });

  test.each(['image', 'a/b\u00fc', 'a/b\r\nContent-Type: c/d'])(
    'content type of the part: %j is none',
    async (type) => {
      const outcome = await post(fileForm('a', DISPOSITION, `Content-Type: ${type}`));

      expect(outcome).toMatchObject(invalid('The content-type of part upload_file is not a media type'));
    },
  );

  test.each([
    'form-data; name=upload_file',
    'FORM-DATA; filename=a.png ; Name="upload_file"',
    'form-data; filename="a\\"; name=\\"b"; name="upload_file"',
    'form-data; filename="C:\\"; name="upload_file";',
    'form-data; name="upload_file"; filename*=utf-8\'\'%C3%BC',
  ])('name of the part: is found in %s', async (disposition) => {
    expect((await post(fileForm('abc', `content-disposition: ${disposition}`))).bytes?.toString()).toBe(
      'abc',
    );
  });

  test.each([
    'form-data; name="secret-name"',
    'form-data; name="UPLOAD_FILE"',
    'form-data; name="upload_file"; name="upload_file"',
    'form-data; filename="; name=upload_file"',
    'form-data; name="upload_file',
    'form-data',
    'attachment; name="upload_file"',
    'form-data; name="upload_file"\r\nContent-Disposition: form-data; name="upload_file"',
  ])('form: a part of %j is refused', async (disposition) => {
    expect(await post(fileForm('abc', `content-disposition: ${disposition}`))).toMatchObject(ONE_PART);
  });

  const file = part('abc', DISPOSITION);
  test.each([
    [
      'another part behind the file',
      formOf(file, part('b', 'Content-Disposition: form-data; name="secret"')),
    ],
    [
      'another part before the file',
      formOf(part('b', 'Content-Disposition: form-data; name="secret"'), file),
    ],
    ['a part without headers', formOf(part('abc'))],
    ['a part that ends within its headers', formOf(Buffer.from(`--${BOUNDARY}\r\n${DISPOSITION}\r\n`))],
    ['no part', formOf()],
  ])('form: %s is refused', async (_what, body) => {
    expect(await post(body)).toMatchObject(ONE_PART);
  });

  test('form: another part is refused even when the file has been passed on long before', async () => {
    await using uploads = await startUploads();

    const outcome = await uploads.send([FORM_TYPE, CHUNKED], chunk(file), chunk(formOf(file)), LAST_CHUNK);

    expect(outcome).toMatchObject(ONE_PART);
  });

  test('form: a multipart inside of it is refused', async () => {
    const outcome = await post(fileForm('a', DISPOSITION, 'Content-Type: Multipart/mixed; boundary=b'));

    expect(outcome).toMatchObject(invalid('Part upload_file must be a file, not another multipart'));
  });

  test('form: a part that is transfer-encoded is 415, unless the encoding changes nothing', async () => {
    const send = (encoding: string) =>
      post(fileForm('YQ==', DISPOSITION, `Content-Transfer-Encoding: ${encoding}`));

    expect((await send('base64')).code).toBe('unsupported_media_type');
    expect((await send('Binary')).bytes?.toString()).toBe('YQ==');
  });

  test.each([
    ['', 'no boundary'],
    ['; boundary=', 'an empty one'],
    [`; boundary=${'b'.repeat(71)}`, 'one that is too long'],
    ['; boundary="a "', 'one that ends with a space'],
    ['; boundary="a\\"b"', 'one with a quote'],
    ['; boundary=a; boundary=a', 'two of them'],
  ])('boundary: %j, %s, is refused before the body is read', async (parameters) => {
    await using uploads = await startUploads();

    const outcome = await uploads.send([
      `content-type: multipart/form-data${parameters}`,
      'content-length: 99',
    ]);

    expect([outcome.status, outcome.code]).toEqual([400, 'invalid_request']);
  });

  test('boundary: any that RFC 2046 allows is found, in any spelling of the type', async () => {
    for (const boundary of ["'()+_,-./:=? 9", 'b'.repeat(70), '-']) {
      const body = Buffer.from(`--${boundary}\r\n${DISPOSITION}\r\n\r\nabc\r\n--${boundary}--`);
      const outcome = await post(body, `content-type: Multipart/FORM-data ; x=y; BOUNDARY="${boundary}"`);
      expect(outcome.bytes?.toString(), boundary).toBe('abc');
    }
  });

  test('headers of the part: up to 8 KiB are read', async () => {
    const filling = `x: ${'y'.repeat(8 * KIB - 200)}`;

    expect((await post(fileForm('abc', filling, DISPOSITION))).bytes?.toString()).toBe('abc');
  });

  test('headers of the part: over 8 KiB are refused, however they are cut', async () => {
    await using uploads = await startUploads();
    const body = fileForm('abc', DISPOSITION, `x: ${'y'.repeat(8 * KIB)}`);

    for (const places of [[], [4000, 8000, 8100, 8191]]) {
      const outcome = await uploads.send([FORM_TYPE, lengthOf(body)], ...cut(body, places));
      expect(outcome).toMatchObject(invalid('The headers of the part are over 8192 bytes'));
    }
  });

  test('headers of the part: that never end are refused while they come', async () => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();

    await connection.write(headOf(FORM_TYPE, CHUNKED));
    await connection.write(chunk(`--${BOUNDARY}\r\n`));
    while (!connection.hasAnswer()) await connection.write(chunk('x: y\r\n'.repeat(100)));

    expect((await connection.answer()).code).toBe('invalid_request');
  });

  test.each([
    ['in the file', fileForm('abc').subarray(0, -BOUNDARY.length - 6)],
    ['in the closing boundary', fileForm('abc').subarray(0, -3)],
    ['in the headers', fileForm('abc').subarray(0, 40)],
    ['before it has begun', Buffer.from('abc')],
  ])('form: that ends %s is refused', async (_what, body) => {
    expect(await post(body)).toMatchObject(invalid('The form ends before its closing boundary'));
  });

  test('size: the bytes of the file count, not those of the form', async () => {
    expect((await post(fileForm(Buffer.alloc(LIMIT_BYTES)))).size).toBe(LIMIT_BYTES);
    expect(await post(fileForm(Buffer.alloc(LIMIT_BYTES + 1)))).toMatchObject(TOO_LARGE);
  });

  test('size: a form over the limit and 64 KiB is refused by its content-length', async () => {
    await using uploads = await startUploads();

    const outcome = await uploads.send([FORM_TYPE, `content-length: ${LIMIT_BYTES + 64 * KIB + 1}`]);

    expect(outcome).toMatchObject(TOO_LARGE);
  });

  test('size: a form of a small file that never ends is refused at the limit and 64 KiB', async () => {
    await using uploads = await startUploads();
    const connection = await uploads.connect();
    const form = fileForm('abc');

    await connection.write(headOf(FORM_TYPE, CHUNKED));
    await connection.write(chunk(Buffer.concat([form, Buffer.alloc(LIMIT_BYTES + 64 * KIB - form.length)])));
    expect(connection.hasAnswer()).toBe(false);
    await connection.write(chunk('x'));

    expect(await connection.answer()).toMatchObject(TOO_LARGE);
  });

  test('size: a form whose file is empty is refused', async () => {
    expect(await post(fileForm(''))).toMatchObject(EMPTY);
  });
});
