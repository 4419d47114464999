/** What a call sends and returns, derived from the contract's types alone: nothing here exists at run time. */
import type { AnswerOf, EndpointKey, Registry, RequestOf } from '../contract/registry.ts';

/** Endpoints that take a file; used by `upload`. */
export type UploadKey = {
  [K in EndpointKey]: Registry[K] extends { readonly takesFile: true } ? K : never;
}[EndpointKey];
/** Endpoints that return a file; used by `download`. */
export type DownloadKey = {
  [K in EndpointKey]: AnswerOf<K> extends AsyncIterable<Uint8Array> ? K : never;
}[EndpointKey];
/** Endpoints that take a body of any type; used by `request`. */
export type AnyBodyKey = {
  [K in EndpointKey]: Registry[K] extends { readonly takesAnyBody: true } ? K : never;
}[EndpointKey];
/** Endpoints with JSON bodies, which are read and written whole; used by `call` and `exchange`. */
export type CallKey = Exclude<EndpointKey, UploadKey | DownloadKey | AnyBodyKey>;

type Members<T> = { readonly [Name in keyof T]: T[Name] | undefined };
type Parts<K extends EndpointKey> = {
  readonly params: RequestOf<K>['params'];
  readonly query: Members<RequestOf<K>['query']>;
  readonly headers: Members<RequestOf<K>['headers']>;
};
type MayBeAbsent<T> = undefined extends T ? true : Partial<T> extends T ? true : false;
type NeededPart<K extends EndpointKey> = {
  [Part in keyof Parts<K>]: MayBeAbsent<Parts<K>[Part]> extends true ? never : Part;
}[keyof Parts<K>];
/** The client token, for endpoints where it is the credential. API keys belong to the connection. */
type Token<K extends EndpointKey> = Registry[K]['auth'] extends {
  readonly kind: 'token';
  readonly place: 'header';
}
  ? { readonly token: string }
  : unknown;
type Options<K extends EndpointKey> = Pick<Parts<K>, NeededPart<K>> & Partial<Parts<K>> & Token<K>;
type Body<K extends EndpointKey> = undefined extends RequestOf<K>['body']
  ? { readonly body?: RequestOf<K>['body'] }
  : { readonly body: RequestOf<K>['body'] };

interface Patience {
  /** The longest time without any data from the daemon; two minutes by default. */
  readonly timeoutMs?: number;
}

/** What a call sends. Members that are `undefined` are not sent. */
export type CallOptions<K extends CallKey> = Options<K> & Body<K> & Patience;
export type CallArguments<K extends CallKey> =
  Partial<CallOptions<K>> extends CallOptions<K> ? [options?: CallOptions<K>] : [options: CallOptions<K>];

/** A file to upload. */
export interface OutgoingFile {
  readonly contentType: string;
  /** Can be read only once. */
  readonly content: AsyncIterable<Uint8Array>;
  /** The length, if known. The upload fails when the content turns out longer or shorter. */
  readonly bytes?: number | undefined;
  /** The path of the file; undefined for stdin. */
  readonly path?: string | undefined;
}
export type UploadOptions<K extends UploadKey> = Options<K> & {
  readonly file: OutgoingFile;
  /** Called after each piece with the number of bytes sent so far. */
  readonly onProgress?: ((sent: number) => void) | undefined;
};

export interface DownloadOptions {
  /** The decryption reason, for a token that has none. */
  readonly reason?: string | undefined;
  /** Called after each piece with the number of bytes received so far. */
  readonly onProgress?: ((received: number) => void) | undefined;
}
