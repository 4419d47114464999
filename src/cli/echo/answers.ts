/**
 * The responses of the sink: a description of the request, or the behaviour of a special path. Pure; sink.ts handles
 * the sockets.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { BodyEncoding } from '../../nouns/vault/facts.ts';
import { KIB, MIB } from '../../kernel/numbers/units.ts';

/** The limit for a body. A longer body is read to its end and refused. */
export const BODY_LIMIT_BYTES = 16 * MIB;

const LONGEST_WAIT_MS = 120_000;
const LARGEST_ANSWER_BYTES = 1024 * MIB;
const PIECE_BYTES = 64 * KIB;

export interface ReceivedRequest {
  /** Starts at 1, in the order of completion. */
  readonly number: number;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty if the body was over the limit. */
  readonly body: Buffer;
  readonly bodyBytes: number;
  /** Null over plain HTTP. */
  readonly tls: ReceivedTls | null;
}

export interface ReceivedTls {
  readonly version: string | null;
  /** The subject of the client's certificate; null if none was requested. */
  readonly client_certificate: string | null;
}

export interface EchoAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Iterable<Buffer>;
  readonly delayMs: number;
}

/** The paths with special behaviour, in the words of the help. */
export const SPECIAL_PATHS: readonly (readonly [path: string, help: string])[] = [
  ['/status/<code>', 'returns this status, 200 to 599'],
  ['/slow/<ms>', `responds after this many milliseconds, ${LONGEST_WAIT_MS} at most`],
  ['/redirect', 'returns 302 to /redirected'],
  ['/large/<bytes>', 'returns this many bytes of text, 1 GiB at most'],
  ['/gzip', 'answers compressed'],
  ['/json', 'returns the body with its content type, so that ingress rules can select from it'],
];

const JSON_TYPE = { 'content-type': 'application/json' };

export function answerTo(request: ReceivedRequest): EchoAnswer {
  if (request.bodyBytes > BODY_LIMIT_BYTES) return failure(413, 'a body may have 16 MiB');
  const [, name, argument] = /^\/([^/]*)(?:\/(\d{1,10}))?$/.exec(pathOf(request)) ?? [];
  const number = argument === undefined ? undefined : Number(argument);
  switch (name) {
    case 'status':
      return number !== undefined && number >= 200 && number <= 599
        ? { ...account(request), status: number }
        : failure(400, '/status takes a code from 200 to 599');
    case 'slow':
      return number !== undefined && number <= LONGEST_WAIT_MS
        ? { ...account(request), delayMs: number }
        : failure(400, `/slow takes milliseconds, ${LONGEST_WAIT_MS} at most`);
    case 'redirect':
      return { ...account(request), status: 302, headers: { ...JSON_TYPE, location: '/redirected' } };
    case 'large':
      return number !== undefined && number <= LARGEST_ANSWER_BYTES
        ? large(number)
        : failure(400, '/large takes a number of bytes, 1 GiB at most');
    case 'gzip':
      return answer(gzipSync(accountText(request)), { ...JSON_TYPE, 'content-encoding': 'gzip' });
    case 'json':
      return answer(request.body, {
        'content-type': request.headers['content-type'] ?? 'application/octet-stream',
      });
    default:
      return account(request);
  }
}

export function pathOf({ target }: Pick<ReceivedRequest, 'target'>): string {
  return target.split('?', 1)[0] ?? '';
}

export function bodyText(body: Buffer): { body: string; encoding: BodyEncoding } {
  const encoding = isUtf8(body) ? 'utf8' : 'base64';
  return { body: body.toString(encoding), encoding };
}

function account(request: ReceivedRequest): EchoAnswer {
  return answer(accountText(request), JSON_TYPE);
}

function accountText({ method, target, headers, body, tls }: ReceivedRequest): Buffer {
  return Buffer.from(JSON.stringify({ method, path: target, headers, ...bodyText(body), tls }));
}

function large(bytes: number): EchoAnswer {
  return answer(pieces(bytes), { 'content-type': 'text/plain', 'content-length': String(bytes) });
}

function* pieces(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(PIECE_BYTES, 'x');
  for (let left = bytes; left > 0; left -= PIECE_BYTES) yield piece.subarray(0, left);
}

function failure(status: number, error: string): EchoAnswer {
  return jsonAnswer(status, { error });
}

export function jsonAnswer(status: number, body: object): EchoAnswer {
  return { ...answer(Buffer.from(JSON.stringify(body)), JSON_TYPE), status };
}

function answer(body: EchoAnswer['body'], headers: EchoAnswer['headers']): EchoAnswer {
  return { status: 200, headers, body, delayMs: 0 };
}
