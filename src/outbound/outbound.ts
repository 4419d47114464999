/**
 * The only way out of the daemon (docs/architecture.md#the-layers): a URL is admitted under the egress policy, which
 * resolves its host once, and the request then goes to one of the addresses that were judged. Nothing is retried and no
 * redirect is followed.
 */
import type { X509Certificate } from 'node:crypto';
import type { Pinned } from '../contract/facts/vault.ts';
import type { EgressPolicy } from '../contract/facts/settings.ts';
import type { Streamed } from '../kernel/streamed-text.ts';

/** Contract §3.3, egress. */
export type { EgressPolicy };

/** A URL that may be called, and the only addresses that may be connected to. */
export interface Destination {
  readonly url: URL;
  /** All of them passed, in the order of the resolver; never empty. */
  readonly addresses: readonly string[];
}

export interface OutgoingRequest {
  readonly method: string;
  /**
   * Names in lower case, sent in this order. `host`, `content-length` and `connection` are set here: they, and
   * `transfer-encoding`, may not be among them.
   */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * GET and HEAD send none. Undefined sends `content-length: 0` with POST, PUT and PATCH, and no such header
   * otherwise.
   */
  readonly body: Uint8Array | Streamed | undefined;
  readonly tls: TlsChoices;
}

export interface TlsChoices {
  /** When there are any, only they are trusted (contract §3.3, TLS). */
  readonly pins: readonly X509Certificate[];
  /** PEM; shown to a server that asks. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
  /** PEM certificates trusted beside the system's, without pins. */
  readonly extraRoots: readonly string[];
}

/** How far a request went, whatever came of it. */
export interface ConnectionNotes {
  /** The address that was connected to. */
  readonly address: string;
  /** From the start of `send` until the connection was ready: with its TLS, if that was finished. */
  readonly msConnect: number;
  /** Undefined without TLS, or when its handshake failed before anything was known. */
  readonly tls?: TlsNotes | undefined;
}

export interface TlsNotes {
  readonly version: string | null;
  /** What a pin matched; null without pins, and when the server was refused. */
  readonly pinned: Pinned | null;
  /** The subject of each certificate the server sent, its own first: `CN=…`, other parts before it after commas. */
  readonly chain: readonly string[];
}

export interface TargetAnswer {
  readonly status: number;
  /** Names in lower case; without hop-by-hop headers, content-length and content-encoding. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Decoded (gzip, deflate, br; at most three on top of each other). */
  readonly body: Buffer;
  readonly connection: ConnectionNotes;
  readonly msTotal: number;
}

export type FailureKind =
  /**
   * The policy forbids the scheme, an address, or the emulator's own address and port; or the request has a header or a
   * method that can't be sent. Nothing was sent.
   */
  | 'refused'
  /** Resolver, connection, TLS, or an answer that is no HTTP, cut off or damaged. */
  | 'unreachable'
  | 'timeout'
  /** The answer is over its limit, before or after decoding. */
  | 'too_large';

/**
 * Why nothing came back. The message may name host and port, and names no header, body or path of the request and
 * nothing of the answer's; nor does `cause`.
 */
export class OutboundFailure extends Error {
  readonly kind: FailureKind;
  readonly connection: ConnectionNotes | undefined;
  readonly msTotal: number;
  /** The status of the answer, when its head came and the rest failed. */
  readonly status: number | undefined;

  constructor(
    kind: FailureKind,
    message: string,
    options: {
      cause?: unknown;
      connection?: ConnectionNotes | undefined;
      msTotal?: number;
      status?: number | undefined;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'OutboundFailure';
    this.kind = kind;
    this.connection = options.connection;
    this.msTotal = options.msTotal ?? 0;
    this.status = options.status;
  }
}

export interface OutboundLimits {
  /** Milliseconds from `admit` or `send` to the end of it; a caller of both passes the signal of one deadline. */
  readonly signal: AbortSignal;
  /** The limit of the answer's body, as it comes over the wire and after each decoding. */
  readonly maxBodyBytes: number;
}

export interface Outbound {
  /** Throws OutboundFailure `refused`, `unreachable` (the name resolves to nothing) or `timeout`. */
  admit(url: URL, policy: EgressPolicy, signal: AbortSignal): Promise<Destination>;
  /** Any HTTP answer, whatever its status. Throws OutboundFailure. */
  send(destination: Destination, request: OutgoingRequest, limits: OutboundLimits): Promise<TargetAnswer>;
}

/** All addresses of a host name; throws when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundContext {
  /**
   * Where the emulator itself listens: never called. `host` undefined is loopback; it may be a name, or an IPv6 address
   * in brackets. Read with each call, so that a port may come later.
   */
  readonly self: { readonly host: string | undefined; readonly port: number };
  /** Epoch milliseconds, for the validity dates of pinned certificates: of the real clock, as TLS has it. */
  readonly realNow: () => number;
  /** The system's resolver unless a test says otherwise. */
  readonly resolve?: Resolve | undefined;
}
