/**
 * The locator file of an instance: how clients find its daemon, and the secret by which it proves itself (contract
 * §11).
 */
export interface Locator {
  readonly pid: number;
  readonly url: string;
  readonly control_token: string;
  readonly version: string;
  readonly started_at: string;
  /** Differs from one start to the next. Anybody can ask for it, so it proves nothing. */
  readonly nonce: string;
  /**
   * When the process began, where the system reports it (kernel/processes.ts); ours, beside what the contract names.
   */
  readonly process_start?: string;
}
