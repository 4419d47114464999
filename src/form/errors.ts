/** A refusal of the service, or a call that brought no answer of it. Its texts name identifiers, never values. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  /**
   * The service's own, such as `T120`; `unreachable` without an answer, `unreadable` for one that isn't the
   * service's.
   */
  readonly code: string;
  /** The HTTP status, 0 without an answer. */
  readonly status: number;
  /** What is wrong with each identifier that was refused. */
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
