/** Names the instance for all entries of the package (contract §14). */
import { setBaseUrl } from './base-url.ts';

export interface Configuration {
  /** Where the service listens, such as `http://localhost:4630`. */
  readonly baseUrl: string;
}

/** Sets the address for what is rendered from now on; it precedes `KYCLONE_BASE_URL`. */
export function configure({ baseUrl }: Configuration): void {
  setBaseUrl(baseUrl);
}
