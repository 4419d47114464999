/**
 * The typed client over the contract: the key types the call, as in `client.call('POST /users', { body })`. The
 * registry is imported as types only, so nothing of the schema library is loaded at run time. `upload` and `download`
 * stream files and never hold a whole one in memory.
 */
import { isUint8Array } from 'node:util/types';
import type { IncomingHttpHeaders } from 'node:http';
import { jsonText } from '../kernel/text/json.ts';
import type { AnswerOf } from '../contract/registry.ts';
import { defined } from '../kernel/defined.ts';
import { withoutLastSlashes } from '../kernel/text/text.ts';
import type {
  CallArguments,
  CallKey,
  DownloadOptions,
  OutgoingFile,
  UploadKey,
  UploadOptions,
} from './calls.ts';
import { authorization, type Connection, type CredentialChoice } from './credentials.ts';
import { FileChangedError } from './errors.ts';
import { openKnown } from './known-daemon.ts';
import { wholeBody, type OpenResponse, type WireRequest, type WireResponse } from './transport.ts';
import { NotSentError, type CredentialKind } from './unsent.ts';
import {
  failureOf,
  headersOf,
  isSuccess,
  type LooseOptions,
  operatorHeader,
  parseBody,
  type ReceivedText,
  routeOf,
} from './wire-call.ts';

export type { CallKey, CallOptions, OutgoingFile, UploadKey } from './calls.ts';
export type { Connection } from './credentials.ts';

/** A response with any status. */
export interface Exchange<Body = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** A file that is being downloaded. */
export interface Download {
  readonly contentType: string;
  /** Undefined when the daemon doesn't say. */
  readonly bytes: number | undefined;
  /** The data identifier, which the daemon uses as the file name. */
  readonly name: string | undefined;
  /**
   * Can be read only once. Throws UnreachableError when the connection breaks; content that ends without an error is
   * complete.
   */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Every call throws ApiError for a failure, UnreachableError, or MissingCredentialError. It throws UnprovenError or
 * StaleControlTokenError when the server does not prove to be the daemon; nothing was sent in that case.
 */
export interface Client {
  /** Returns the body of the response. */
  call<K extends CallKey>(key: K, ...options: CallArguments<K>): Promise<AnswerOf<K>>;
  /** Like `call`, but returns status and headers too. */
  exchange<K extends CallKey>(key: K, ...options: CallArguments<K>): Promise<Exchange<AnswerOf<K>>>;
  /** Uploads a file as a stream. Also throws FileChangedError, and any error of the content stream. */
  upload<K extends UploadKey>(key: K, options: UploadOptions<K>): Promise<Exchange<AnswerOf<K>>>;
  /** Downloads the one datum of a decrypt_download token as a stream. The token is the only credential. */
  download(token: string, options?: DownloadOptions): Promise<Download>;
  /** Downloads a snapshot as a stream, in the form that another instance can import. */
  snapshotContent(name: string, options?: Pick<DownloadOptions, 'onProgress'>): Promise<Download>;
  /** Sends any request with the credential that its path needs. Returns failures like any other response. */
  request(request: RawRequest): Promise<Exchange<Buffer>>;
}

export interface RawRequest {
  readonly method: string;
  /** Begins with `/` and may contain a query. */
  readonly path: string;
  /** A client token among them (`x-fp-authorization`) replaces the API key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: WireRequest['body'];
  readonly timeoutMs?: WireRequest['timeoutMs'];
  /** Default: the credential that the path needs. */
  readonly as?: CredentialChoice | undefined;
}

type LooseUpload = LooseOptions & Pick<UploadOptions<UploadKey>, 'file' | 'onProgress'>;

/**
 * Creates a client of one daemon. If `source` is a function, it is called once, at the first call. With `sendsNothing`
 * every call throws NotSentError instead of sending the request.
 */
export function createClient(
  source: Connection | (() => Promise<Connection>),
  { sendsNothing = false }: { readonly sendsNothing?: boolean } = {},
): Client {
  let connection: Promise<Connection> | undefined;
  const connect = () => (connection ??= typeof source === 'function' ? source() : Promise.resolve(source));

  async function sent({
    method,
    path,
    headers = {},
    body,
    timeoutMs,
    as,
  }: RawRequest): Promise<OpenResponse> {
    const target = await connect();
    const request = {
      method,
      url: new URL(withoutLastSlashes(target.baseUrl) + path),
      headers: {
        accept: 'application/json',
        ...authorization({ path, headers, ...defined({ as }) }, target),
        ...operatorHeader(target),
        ...headers,
      },
      body,
      timeoutMs,
    };
    return await openKnown(request, target);
  }

  async function withOperator(raw: RawRequest): Promise<RawRequest> {
    return { ...raw, headers: { ...operatorHeader(await connect()), ...raw.headers } };
  }

  async function request(raw: RawRequest, file?: OutgoingFile, isRaw = false): Promise<WireResponse> {
    if (sendsNothing) throw notSent(await withOperator(raw), file, isRaw);
    const { status, headers, body } = await sent(raw);
    return { status, headers, body: await wholeBody(body) };
  }

  async function exchange(key: string, options: LooseOptions = {}): Promise<Exchange> {
    const hasBody = options.body !== undefined;
    const answer = await request({
      ...routeOf(key, options),
      headers: { ...(hasBody && { 'content-type': 'application/json' }), ...headersOf(options) },
      body: hasBody ? jsonText(options.body) : undefined,
      timeoutMs: options.timeoutMs,
    });
    return decodeAnswer(answer, key);
  }

  async function upload(key: string, { file, onProgress, ...options }: LooseUpload): Promise<Exchange> {
    const { contentType, bytes, content } = file;
    const ofFile = defined({ 'content-type': contentType, 'content-length': bytes?.toString() });
    const headers = { ...ofFile, ...headersOf(options) };
    const answer = await request(
      {
        ...routeOf(key, options),
        headers,
        body: counted(bytes === undefined ? content : exactly(bytes, content), onProgress),
      },
      file,
    );
    return decodeAnswer(answer, key);
  }

  async function download(token: string, options: DownloadOptions = {}): Promise<Download> {
    const params = { token };
    const query = { reason: options.reason };
    return await receive(routeOf('GET /users/vault/decrypt/{token}', { params, query }), options);
  }

  async function snapshotContent(name: string, options: Pick<DownloadOptions, 'onProgress'> = {}) {
    return await receive(routeOf('GET /_kyclone/snapshots/{name}/content', { params: { name } }), options);
  }

  async function receive(
    path: Pick<RawRequest, 'method' | 'path'>,
    options: Pick<DownloadOptions, 'onProgress'>,
  ): Promise<Download> {
    const raw = { ...path, headers: { accept: '*/*' } };
    if (sendsNothing) throw notSent(await withOperator(raw));
    const { status, headers, body } = await sent(raw);
    if (!isSuccess(status)) throw failureOf(textOf({ status, headers, body: await wholeBody(body) }));
    const length = headers['content-length'];
    return {
      contentType: headers['content-type'] ?? 'application/octet-stream',
      bytes: length === undefined ? undefined : Number(length),
      name: nameOfAttachment(headers['content-disposition']),
      content: counted(body, options.onProgress),
    };
  }

  return {
    request: (raw) => request(raw, undefined, true),
    exchange: exchange as Client['exchange'],
    call: (async (key: string, options?: LooseOptions) =>
      (await exchange(key, options)).body) as Client['call'],
    upload: upload as Client['upload'],
    download,
    snapshotContent,
  };
}

/** Decodes the body as JSON if its content type says so. Throws ApiError for every status outside 2xx. */
export function decodeAnswer(answer: WireResponse, endpoint?: string): Exchange {
  if (!isSuccess(answer.status)) throw failureOf(textOf(answer), endpoint);
  return { ...answer, body: parseBody(textOf(answer)) };
}

function textOf({ status, headers, body }: WireResponse): ReceivedText {
  const id = headers['x-request-id'];
  return {
    status,
    text: body.toString('utf8'),
    contentType: headers['content-type'],
    requestId: Array.isArray(id) ? id[0] : id,
  };
}

function notSent(
  { method, path, headers = {}, body }: RawRequest,
  file?: OutgoingFile,
  isRaw = false,
): NotSentError {
  const isWhole = typeof body === 'string' || isUint8Array(body);
  const credential = credentialKind(authorization({ path, headers }, ANYBODY));
  return new NotSentError({
    method,
    path,
    headers,
    credential,
    file,
    isRaw,
    body: isWhole ? body : undefined,
  });
}

/** Used to find out which credential a path needs. */
const ANYBODY: Connection = { baseUrl: '', apiKey: '', controlToken: '' };

function credentialKind({ authorization: header }: Readonly<Record<string, string>>): CredentialKind {
  if (header === undefined) return 'none';
  return header.startsWith('Bearer') ? 'control' : 'key';
}

// Files in transit: counts their bytes as they pass and keeps none of them.

/**
 * Throws FileChangedError when the content is longer or shorter than announced: the server would otherwise wait for the
 * rest, or take a part for the whole. Holds the last piece back until the end is known, so that no part of a changed
 * file can be stored.
 */
async function* exactly(bytes: number, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0;
  let held: Uint8Array | undefined;
  for await (const chunk of content) {
    read += chunk.length;
    if (read > bytes) throw new FileChangedError();
    if (held) yield held;
    held = chunk;
  }
  if (read < bytes) throw new FileChangedError();
  if (held) yield held;
}

/** Passes the content on and calls `onProgress` after each piece. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  onProgress?: (passed: number) => void,
): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of content) {
    yield chunk;
    passed += chunk.length;
    onProgress?.(passed);
  }
}

/** The name in `attachment; filename="…"`, or in `filename*=UTF-8''…` for one that isn't plain. */
function nameOfAttachment(disposition = ''): string | undefined {
  const [, encoded] = /;\s*filename\*=UTF-8''([\w.~%!-]+)/.exec(disposition) ?? [];
  return encoded ? decodeURIComponent(encoded) : /;\s*filename="([^"\\]*)"/.exec(disposition)?.[1];
}
