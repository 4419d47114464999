/** A refusal by the service, or a call without a response from it. Its texts name identifiers, never values. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  /**
   * The service's error code, such as `T120`; `unreachable` without a response, `unreadable` for a response that is not
   * the service's.
   */
  readonly code: string;
  /** The HTTP status, 0 without a response. */
  readonly status: number;
  /** The problem of each refused identifier. */
  readonly context: Readonly<Record<string, string>>;

  constructor(
    code: string,
    message: string,
    { status = 0, context = {} }: { status?: number; context?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.context = context;
  }
}
