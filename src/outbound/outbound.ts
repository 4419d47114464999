/**
 * The only way out of the daemon (docs/architecture.md#the-layers). The egress policy admits a URL and resolves its
 * host once. The request then goes to one of the checked addresses. It is never retried, and redirects are not
 * followed.
 */
import type { X509Certificate } from 'node:crypto';
import type { Pinned } from '../nouns/vault/facts.ts';
import type { EgressPolicy } from '../nouns/settings/facts.ts';
import { realTime } from '../kernel/time/real-time.ts';
import type { Streamed } from '../kernel/text/streamed-text.ts';

/** Contract §3.3, egress. */
export type { EgressPolicy };

/** An admitted URL, and the only addresses that may be connected to. */
export interface Destination {
  readonly url: URL;
  /** The checked addresses, in the order of the resolver; never empty. */
  readonly addresses: readonly string[];
}

export interface OutgoingRequest {
  readonly method: string;
  /**
   * Names in lower case, sent in this order. They must not include `host`, `content-length` and `connection`, which are
   * set here, nor `transfer-encoding`.
   */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * GET and HEAD have none. Undefined sends `content-length: 0` with POST, PUT and PATCH, and no such header otherwise.
   */
  readonly body: Uint8Array | Streamed | undefined;
  readonly tls: TlsChoices;
}

export interface TlsChoices {
  /** Pinned certificates. If there are any, only they are trusted (contract §3.3, TLS). */
  readonly pins: readonly X509Certificate[];
  /** A client certificate in PEM, sent to a server that requests one. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
  /** PEM certificates trusted in addition to the system's, when there are no pins. */
  readonly extraRoots: readonly string[];
}

/** How far a request got, whatever its result. */
export interface ConnectionNotes {
  /** The address that was connected to. */
  readonly address: string;
  /** From the start of `send` until the connection was ready, including a finished TLS handshake. */
  readonly msConnect: number;
  /** Whether the request was sent, at least in part: a server that is rejected gets none of it. */
  readonly wasSent: boolean;
  /** Undefined without TLS, or when its handshake failed before the server sent a certificate. */
  readonly tls?: TlsNotes | undefined;
}

export interface TlsNotes {
  readonly version: string | null;
  /** What a pin matched; null without pins, and when the server was rejected. */
  readonly pinned: Pinned | null;
  /** The subject of each certificate the server sent, its own first: `CN=…`, other parts before it after commas. */
  readonly chain: readonly string[];
}

export interface TargetAnswer {
  readonly status: number;
  /** Names in lower case; without hop-by-hop headers, content-length and the codings that were decoded. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Decoded (gzip, deflate, br; at most three on top of each other); in an unknown coding as it came. */
  readonly body: Buffer;
  /** What was unusual about the body, in words of our own. */
  readonly remarks: readonly string[];
  readonly connection: ConnectionNotes;
  readonly msTotal: number;
}

export type FailureKind =
  /**
   * The policy forbids the scheme, an address, or the emulator's own address and port; or a header or the method of the
   * request is invalid. Nothing was sent.
   */
  | 'refused'
  /** The resolver, the connection or TLS failed, or the response is not HTTP, cut off or damaged. */
  | 'unreachable'
  | 'timeout'
  /** The response exceeds its limit, before or after decoding. */
  | 'too_large';

/** How far a failed request got. */
export interface FailureNotes {
  readonly connection?: ConnectionNotes | undefined;
  readonly msTotal?: number;
  /** The status of the response, when its head arrived and the rest failed. */
  readonly status?: number | undefined;
  /** The headers of that response, as those of a TargetAnswer. */
  readonly headers?: TargetAnswer['headers'] | undefined;
}

/**
 * Why there is no response. The message may name host and port. Neither the message nor `cause` contains a header, body
 * or path of the request, or anything from the response; only `status` and `headers` are from it.
 */
export class OutboundFailure extends Error implements FailureNotes {
  readonly kind: FailureKind;
  readonly connection: ConnectionNotes | undefined;
  readonly msTotal: number;
  readonly status: number | undefined;
  readonly headers: TargetAnswer['headers'] | undefined;

  constructor(kind: FailureKind, message: string, options: FailureNotes & { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'OutboundFailure';
    this.kind = kind;
    this.connection = options.connection;
    this.msTotal = options.msTotal ?? 0;
    this.status = options.status;
    this.headers = options.headers;
  }
}

export interface OutboundLimits {
  /** Limits `admit` or `send` as a whole; a caller of both passes the signal of one deadline. */
  readonly signal: AbortSignal;
  /** The limit for the body of the response, on the wire and after each decoding. */
  readonly maxBodyBytes: number;
}

/**
 * Aborts after `timeoutMs`, or when `clientGone` does, until it is ended. A timer of our own: Node's garbage collection
 * drops `AbortSignal.timeout` within `AbortSignal.any`, and the call would never end.
 */
export function beginDeadline(timeoutMs: number, clientGone?: AbortSignal) {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timer = realTime.setTimeout(abort, timeoutMs);
  if (clientGone?.aborted) abort();
  clientGone?.addEventListener('abort', abort);
  return {
    signal: deadline.signal,
    end: (): void => {
      realTime.clearTimeout(timer);
      clientGone?.removeEventListener('abort', abort);
    },
  };
}

export interface Outbound {
  /** Throws OutboundFailure `refused`, `unreachable` (the name resolves to nothing) or `timeout`. */
  admit(url: URL, policy: EgressPolicy, signal: AbortSignal): Promise<Destination>;
  /** Returns any HTTP response, whatever its status. Throws OutboundFailure. */
  send(destination: Destination, request: OutgoingRequest, limits: OutboundLimits): Promise<TargetAnswer>;
}

/** All addresses of a host name; throws when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundContext {
  /**
   * The emulator's own address, which is never called. `host` undefined is loopback; it may be a name, or an IPv6
   * address in brackets. Read at each call, so that the port may be set later.
   */
  readonly self: { readonly host: string | undefined; readonly port: number };
  /** Epoch milliseconds of the real clock, for the validity dates of pinned certificates, as in TLS. */
  readonly realNow: () => number;
  /** The system's resolver unless a test says otherwise. */
  readonly resolve?: Resolve | undefined;
}
