/**
 * The typed client over the contract: `client.call('POST /users', { body })` is typed by the key. The registry is
 * imported as types only, so that nothing of the schema library is loaded at run time.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerOf, Key, RequestOf } from '../contract/registry.ts';
import { ApiError, MissingCredentialError } from './errors.ts';
import { send, type WireResponse } from './transport.ts';

/** Which daemon to speak to, and as whom. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly controlToken?: string | undefined;
}

type Members<T> = { readonly [Name in keyof T]: T[Name] | undefined };
type Parts<K extends Key> = {
  readonly params: RequestOf<K>['params'];
  readonly query: Members<RequestOf<K>['query']>;
  readonly headers: Members<RequestOf<K>['headers']>;
};
type MayBeAbsent<T> = undefined extends T ? true : Partial<T> extends T ? true : false;
type NeededPart<K extends Key> = {
  [Part in keyof Parts<K>]: MayBeAbsent<Parts<K>[Part]> extends true ? never : Part;
}[keyof Parts<K>];
type Body<K extends Key> = undefined extends RequestOf<K>['body']
  ? { readonly body?: RequestOf<K>['body'] }
  : { readonly body: RequestOf<K>['body'] };

/** What a call sends. Parts that can be left out may be; members that are `undefined` are not sent. */
export type CallOptions<K extends Key> = Pick<Parts<K>, NeededPart<K>> & Partial<Parts<K>> & Body<K>;
type CallArguments<K extends Key> =
  Partial<CallOptions<K>> extends CallOptions<K> ? [options?: CallOptions<K>] : [options: CallOptions<K>];

/** An answer whatever its status. */
export interface Exchange<Body = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

export interface Client {
  /** The body of the answer. Throws ApiError, UnreachableError or MissingCredentialError. */
  call<K extends Key>(key: K, ...options: CallArguments<K>): Promise<AnswerOf<K>>;
  /** As `call`, with status and headers. */
  exchange<K extends Key>(key: K, ...options: CallArguments<K>): Promise<Exchange<AnswerOf<K>>>;
  /** Any request, with the credential its path asks for; a failure is an answer like any other. */
  request(request: RawRequest): Promise<Exchange<Buffer>>;
}

export interface RawRequest {
  readonly method: string;
  /** Begins with `/`; may hold a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

type Scalars = Readonly<Record<string, string | number | boolean | undefined>>;

interface LooseOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Scalars;
  readonly headers?: Scalars;
  readonly body?: unknown;
}

/** A client of one daemon; a function as source is asked once, when the first call is made. */
export function createClient(source: Connection | (() => Promise<Connection>)): Client {
  let connection: Promise<Connection> | undefined;
  const connect = () => (connection ??= typeof source === 'function' ? source() : Promise.resolve(source));

  async function request({ method, path, headers, body }: RawRequest): Promise<WireResponse> {
    const target = await connect();
    return await send({
      method,
      url: new URL(target.baseUrl.replace(/\/+$/, '') + path),
      headers: { accept: 'application/json', ...authorization(path, target), ...headers },
      body,
    });
  }

  async function exchange(key: string, options: LooseOptions = {}): Promise<Exchange> {
    const blank = key.indexOf(' ');
    const hasBody = options.body !== undefined;
    const answer = await request({
      method: key.slice(0, blank),
      path: fillPath(key.slice(blank + 1), options.params) + queryString(options.query),
      headers: { ...(hasBody && { 'content-type': 'application/json' }), ...textMembers(options.headers) },
      body: hasBody ? JSON.stringify(options.body) : undefined,
    });
    return decodeAnswer(answer);
  }

  return {
    request,
    exchange: exchange as Client['exchange'],
    call: (async (key: string, options?: LooseOptions) =>
      (await exchange(key, options)).body) as Client['call'],
  };
}

/** The answer with its body as JSON where it says so. Throws ApiError for every status outside 2xx. */
export function decodeAnswer(answer: WireResponse): Exchange {
  const body = parseBody(answer);
  if (answer.status >= 200 && answer.status < 300) return { ...answer, body };
  const failure = (typeof body === 'object' && body !== null ? body : {}) as Partial<ApiError>;
  throw new ApiError({
    code: failure.code ?? 'internal_error',
    message: failure.message ?? `The daemon answered ${answer.status} without saying why`,
    status: answer.status,
    context: failure.context,
    requestId: headerText(answer.headers['x-request-id']),
  });
}

function parseBody(answer: WireResponse): unknown {
  const text = answer.body.toString('utf8');
  if (!/^application\/(?:[\w.+-]+\+)?json\b/.test(answer.headers['content-type'] ?? '')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Control plane: the control token. Everything else: the key as the user name of Basic (contract §0.2). */
function authorization(path: string, connection: Connection): Record<string, string> {
  const isControl = path.startsWith('/_kyclone/');
  if (/^\/_kyclone\/(?:health|ready|openapi\.json|docs)(?:\?|$)/.test(path)) return {};
  const secret = isControl ? connection.controlToken : connection.apiKey;
  if (secret === undefined) {
    throw new MissingCredentialError(
      isControl ? 'No control token is known for this daemon' : 'No API key is known for this daemon',
    );
  }
  return {
    authorization: isControl
      ? `Bearer ${secret}`
      : `Basic ${Buffer.from(`${secret}:`, 'utf8').toString('base64')}`,
  };
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
