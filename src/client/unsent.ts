import type { OutgoingFile } from './calls.ts';

/** Which credential a request would carry; `none` where the path or a header of its own is the credential. */
export type CredentialKind = 'key' | 'control' | 'none';

/** A request as it would go out, its credential named and not held. */
export interface UnsentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialKind;
  readonly body?: string | Uint8Array | undefined;
  /** In place of a body. */
  readonly file?: OutgoingFile | undefined;
  /** Whether its body was given whole, rather than made of what was asked for. */
  readonly isRaw: boolean;
}

/** Thrown in place of sending, by a client that sends nothing. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  readonly request: UnsentRequest;

  constructor(request: UnsentRequest) {
    super('The request was not sent');
    this.request = request;
  }
}
