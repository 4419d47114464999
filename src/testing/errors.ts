/** Errors of the library itself. Errors of the daemon are `ApiError`. */
export type KycloneErrorCode = 'invalid_option' | 'port_taken' | 'start_failed' | 'closed' | 'timeout';

export class KycloneError extends Error {
  override readonly name = 'KycloneError';
  readonly code: KycloneErrorCode;

  constructor(code: KycloneErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
