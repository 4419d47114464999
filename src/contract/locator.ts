/** The locator file of an instance: how clients find its daemon, and prove that it is this one (contract §11). */
export interface Locator {
  readonly pid: number;
  readonly url: string;
  readonly control_token: string;
  readonly version: string;
  readonly started_at: string;
  /** Repeated by the health answer of this daemon only. */
  readonly nonce: string;
}
