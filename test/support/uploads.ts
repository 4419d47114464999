/** A server that treats every request as an upload, connections that control each segment, and forms as bytes. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errorEntry } from '../../src/contract/errors.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits.ts';
import { readUpload, type MeasuredUpload } from '../../src/http/upload.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { KIB } from '../../src/kernel/numbers/units.ts';
import { parseAnswers, type RawAnswer } from './raw-socket.ts';

export const UPLOAD_LIMIT_BYTES = 100 * KIB;
export const BOUNDARY = 'aXbXc.Boundary';

export type Take = (upload: MeasuredUpload, request: IncomingMessage) => Promise<Record<string, unknown>>;

export interface Outcome {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly type?: string;
  readonly size?: number;
  readonly bytes: Buffer;
}

/** Reads the whole file and returns the members of an `Outcome`. */
export async function takeAll(upload: MeasuredUpload): Promise<Record<string, unknown>> {
  const base64 = (await buffer(upload.content)).toString('base64');
  return { type: upload.contentType, base64, size: upload.bytesRead };
}

export async function startUploads(
  take: Take = takeAll,
  limitBytes = UPLOAD_LIMIT_BYTES,
  stallMs = DEFAULT_LIMITS.stallMs,
) {
  const failures: ServiceError[] = [];
  const requests: IncomingMessage[] = [];
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    void readUpload(request, { limitBytes, stallMs })
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
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    /** The server's sockets, one for each connection. */
    sockets,
    /** Returns the error of the first failed upload. A client that has disconnected can't read it. */
    failure: () => until(() => failures[0]),
    connect: () => openConnection(port, sockets),
    /** Begins a request on a new connection. Each piece is a segment of its own. */
    async begin(headers: readonly string[], ...pieces: (string | Buffer)[]) {
      const connection = await openConnection(port, sockets);
      await connection.write(headOf(...headers));
      for (const piece of pieces) await connection.write(piece);
      return connection;
    },
    /** Sends one request on a new connection. Each piece is a segment of its own. */
    async send(headers: string[], ...pieces: (string | Buffer)[]): Promise<Outcome> {
      const connection = await openConnection(port, sockets);
      await connection.write(headOf('connection: close', ...headers));
      for (const piece of pieces) await connection.write(piece);
      return connection.answer();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function openConnection(port: number, accepted: readonly Socket[]) {
  const received: Buffer[] = [];
  const before = accepted.length;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('data', (chunk) => received.push(chunk));
  // Some tests make the server close while the client writes.
  socket.on('error', () => undefined);
  const serverSide = await until(() => accepted[before]);
  let sent = 0;
  let answered = 0;

  const nextAnswer = () => parsed(received)[answered];
  return {
    socket,
    hasAnswer: () => nextAnswer() !== undefined,
    /** Sends bytes, and waits until the server has received them and had a turn to use them. */
    async write(bytes: string | Buffer): Promise<void> {
      socket.write(bytes);
      sent += Buffer.byteLength(bytes);
      await until(() => serverSide.bytesRead >= sent || serverSide.destroyed);
      await nextTurn();
    },
    async answer(): Promise<Outcome> {
      const { status, text } = await until(() => nextAnswer() ?? (socket.closed && gone()));
      answered += 1;
      const body = JSON.parse(text === '' ? '{}' : text) as Partial<Outcome> & { base64?: string };
      return { ...body, status, bytes: Buffer.from(body.base64 ?? '', 'base64') };
    },
  };
}

function gone(): never {
  throw new Error('the connection was closed without an answer');
}

function parsed(received: readonly Buffer[]): RawAnswer[] {
  const text = Buffer.concat(received).toString();
  return text.includes('\r\n\r\n') ? parseAnswers(text) : [];
}

/** Waits until `find` returns something other than undefined or false. It has no time limit. */
export async function until<T>(find: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    await nextTurn();
  }
}

export const headOf = (...headers: string[]) =>
  ['POST / HTTP/1.1', 'host: x', ...headers, '', ''].join('\r\n');
export const lengthOf = (bytes: string | Buffer) => `content-length: ${Buffer.byteLength(bytes)}`;

export const CHUNKED = 'transfer-encoding: chunked';
export const LAST_CHUNK = '0\r\n\r\n';
export const chunk = (bytes: string | Buffer) =>
  joined(`${Buffer.byteLength(bytes).toString(16)}\r\n`, bytes, '\r\n');

export const FORM_TYPE = `content-type: multipart/form-data; boundary=${BOUNDARY}`;
export const DISPOSITION = 'Content-Disposition: form-data; name="upload_file"';

export const partOf = (content: string | Buffer, ...headers: string[]) =>
  joined(`--${BOUNDARY}\r\n`, ...headers.map((header) => `${header}\r\n`), '\r\n', content, '\r\n');
export const formOf = (...parts: Buffer[]) => joined(...parts, `--${BOUNDARY}--\r\n`);
/** Makes a form with one part. The part is the file unless its headers differ. */
export const fileForm = (content: string | Buffer, ...headers: string[]) =>
  formOf(partOf(content, ...(headers.length > 0 ? headers : [DISPOSITION])));

export const joined = (...pieces: (string | Buffer)[]) =>
  Buffer.concat(pieces.map((piece) => Buffer.from(piece)));

/** Cuts the bytes before each of these places. A place counts modulo the length. */
export function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  return edges
    .map((edge, index) => bytes.subarray(edges[index - 1] ?? 0, edge))
    .filter((piece) => piece.length > 0);
}

const invalid = (message: string) => ({ status: 400, code: 'invalid_request', message });
export const REFUSALS = {
  tooLarge: {
    status: 413,
    code: 'payload_too_large',
    message: `The body is over the limit of ${UPLOAD_LIMIT_BYTES} bytes`,
  },
  empty: invalid('The body is empty; an upload has at least one byte'),
  notAType: invalid('Header content-type is not a media type'),
  partNotAType: invalid('The content-type of part upload_file is not a media type'),
  notOnePart: invalid('The form must hold exactly one part, the file, named upload_file'),
  nested: invalid('Part upload_file must be a file, not another multipart'),
  headersTooLarge: invalid('The headers of the part are over 8192 bytes'),
  unclosed: invalid('The form ends before its closing boundary'),
} as const;
