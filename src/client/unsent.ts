import type { OutgoingFile } from './calls.ts';

/** The credential that a request would carry; `none` if the path or one of its headers is the credential. */
export type CredentialKind = 'key' | 'control' | 'none';

/** A request that was not sent. It names its credential and does not contain it. */
export interface UnsentRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialKind;
  readonly body?: string | Uint8Array | undefined;
  /** Replaces the body. */
  readonly file?: OutgoingFile | undefined;
  /** Whether the user gave the body whole. Otherwise the command built it. */
  readonly isRaw: boolean;
}

/** Thrown by a client with `sendsNothing`, instead of sending. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly request: UnsentRequest;

  constructor(request: UnsentRequest) {
    super('The request was not sent');
    this.request = request;
  }
}
