/**
 * The locator file of an instance: how clients find its daemon, and the secret that proves its identity (contract §11).
 */
export interface Locator {
  readonly pid: number;
  readonly url: string;
  readonly control_token: string;
  readonly version: string;
  readonly started_at: string;
  /** Differs at each start. It is public, so it proves nothing. */
  readonly nonce: string;
  /**
   * When the process began, where the system reports it (kernel/processes.ts); an addition to the members in the
   * contract.
   */
  readonly process_start?: string;
  /** The options that the daemon was started with, as its command line has them; absent in the process of a test. */
  readonly options?: readonly string[];
}
