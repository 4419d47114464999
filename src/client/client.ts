/**
 * The typed client over the contract: `client.call('POST /users', { body })` is typed by the key. The registry is
 * imported as types only, so that nothing of the schema library is loaded at run time. Files go through `upload` and
 * `download`, which hold none of them whole.
 */
import { OPERATOR_HEADER } from '../contract/facts/access-log.ts';
import { encodeOperator } from '../contract/operator-name.ts';
import { JSON_TYPE } from '../contract/facts/requests.ts';
import { CLIENT_TOKEN_HEADER } from '../contract/facts/credentials.ts';
import { withoutLastSlashes } from '../kernel/base-url.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerOf } from '../contract/registry.ts';
import type {
  CallArguments,
  CallKey,
  DownloadOptions,
  OutgoingFile,
  UploadKey,
  UploadOptions,
} from './calls.ts';
import { authorization, type Connection, type CredentialChoice } from './credentials.ts';
import { ApiError } from './errors.ts';
import { counted, measured, nameOfAttachment } from './files.ts';
import { openKnown } from './known-daemon.ts';
import { wholeBody, type OpenResponse, type WireRequest, type WireResponse } from './transport.ts';
import { NotSentError, type CredentialKind } from './unsent.ts';

export type { CallKey, CallOptions, OutgoingFile, UploadKey } from './calls.ts';
export type { Connection } from './credentials.ts';

/** An answer with any status. */
export interface Exchange<Body = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** A file that is on its way in. */
export interface Download {
  readonly contentType: string;
  /** Undefined when the daemon doesn't say. */
  readonly bytes: number | undefined;
  /** The data identifier, as the daemon names the file. */
  readonly name: string | undefined;
  /** To be read once. Throws UnreachableError when it breaks off: what ends quietly is whole. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Every call throws ApiError for a failure, UnreachableError, MissingCredentialError, and UnprovenError or
 * StaleControlTokenError where the other side doesn't prove to be the daemon: nothing was sent to it then.
 */
export interface Client {
  /** The body of the answer. */
  call<K extends CallKey>(key: K, ...options: CallArguments<K>): Promise<AnswerOf<K>>;
  /** As `call`, with status and headers. */
  exchange<K extends CallKey>(key: K, ...options: CallArguments<K>): Promise<Exchange<AnswerOf<K>>>;
  /** Streams a file in. Throws FileChangedError too, and what its content throws. */
  upload<K extends UploadKey>(key: K, options: UploadOptions<K>): Promise<Exchange<AnswerOf<K>>>;
  /** Streams out the one datum of a decrypt_download token, which is the only credential. */
  download(token: string, options?: DownloadOptions): Promise<Download>;
  /** Streams out a snapshot as another instance can take it. */
  snapshotContent(name: string, options?: Pick<DownloadOptions, 'onProgress'>): Promise<Download>;
  /** Any request, with the credential its path asks for; a failure is an answer like any other. */
  request(request: RawRequest): Promise<Exchange<Buffer>>;
}

export interface RawRequest {
  readonly method: string;
  /** Begins with `/`; may hold a query. */
  readonly path: string;
  /** A client token (`x-fp-authorization`) among them takes the place of the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: WireRequest['body'];
  readonly timeoutMs?: WireRequest['timeoutMs'];
  /** Left out: what the path asks for. */
  readonly as?: CredentialChoice | undefined;
}

type Scalars = Readonly<Record<string, string | number | boolean | undefined>>;

interface LooseOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Scalars;
  readonly headers?: Scalars;
  readonly token?: string;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}
type LooseUpload = LooseOptions & Pick<UploadOptions<UploadKey>, 'file' | 'onProgress'>;

export interface ClientOptions {
  /** Every call throws NotSentError in place of sending anything. */
  readonly sendsNothing?: boolean;
}

/** A client of one daemon; a function as source is asked once, when the first call is made. */
export function createClient(
  source: Connection | (() => Promise<Connection>),
  { sendsNothing = false }: ClientOptions = {},
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
        ...authorization({ path, headers, ...(as !== undefined && { as }) }, target),
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
      body: hasBody ? JSON.stringify(options.body) : undefined,
      timeoutMs: options.timeoutMs,
    });
    return decodeAnswer(answer, key);
  }

  async function upload(key: string, { file, onProgress, ...options }: LooseUpload): Promise<Exchange> {
    const headers = { ...fileHeaders(file), ...headersOf(options) };
    const route = routeOf(key, options);
    const answer = await request({ ...route, headers, body: measured(file, onProgress) }, file);
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
    if (!isSuccess(status)) throw failureOf({ status, headers, body: await wholeBody(body) });
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

function operatorHeader({ operator }: Connection): Record<string, string> {
  return operator === undefined ? {} : { [OPERATOR_HEADER]: encodeOperator(operator) };
}

function notSent(
  { method, path, headers = {}, body }: RawRequest,
  file?: OutgoingFile,
  isRaw = false,
): NotSentError {
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const credential = credentialKind(authorization({ path, headers }, ANYBODY));
  return new NotSentError({
    ...{ method, path, headers, credential, file, isRaw },
    body: isWhole ? body : undefined,
  });
}

/** Asked which credential a path wants. */
const ANYBODY: Connection = { baseUrl: '', apiKey: '', controlToken: '' };

function credentialKind({ authorization: header }: Readonly<Record<string, string>>): CredentialKind {
  if (header === undefined) return 'none';
  return header.startsWith('Bearer') ? 'control' : 'key';
}

/** The answer with its body as JSON where it says so. Throws ApiError for every status outside 2xx. */
export function decodeAnswer(answer: WireResponse, endpoint?: string): Exchange {
  if (!isSuccess(answer.status)) throw failureOf(answer, endpoint);
  return { ...answer, body: parseBody(answer) };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function failureOf(answer: WireResponse, endpoint?: string): ApiError {
  const body = parseBody(answer);
  const failure = (typeof body === 'object' && body !== null ? body : {}) as Partial<ApiError>;
  return new ApiError({
    code: failure.code ?? 'internal_error',
    message: failure.message ?? `The daemon answered ${answer.status} without saying why`,
    status: answer.status,
    context: failure.context,
    requestId: headerText(answer.headers['x-request-id']),
    endpoint,
  });
}

function parseBody(answer: WireResponse): unknown {
  const text = answer.body.toString('utf8');
  if (!JSON_TYPE.test(answer.headers['content-type'] ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function routeOf(key: string, { params, query }: LooseOptions): { method: string; path: string } {
  const blank = key.indexOf(' ');
  return { method: key.slice(0, blank), path: fillPath(key.slice(blank + 1), params) + queryString(query) };
}

/** `.` and `..` are refused: URL resolution would take them for steps up the path. */
function fillPath(template: string, params: Readonly<Record<string, string>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new ApiError({ code: 'not_found', message: `${name} names nothing`, status: 404 });
    }
    return encodeURIComponent(value);
  });
}

function headersOf({ headers, token }: LooseOptions): Record<string, string> {
  return { ...(token !== undefined && { [CLIENT_TOKEN_HEADER]: token }), ...textMembers(headers) };
}

function fileHeaders({ contentType, bytes }: OutgoingFile): Record<string, string> {
  return { 'content-type': contentType, ...(bytes !== undefined && { 'content-length': String(bytes) }) };
}

function queryString(query: Scalars = {}): string {
  const text = new URLSearchParams(textMembers(query)).toString();
  return text === '' ? '' : `?${text}`;
}

function textMembers(members: Scalars = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
