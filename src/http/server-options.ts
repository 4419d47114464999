/** How Node's server is set up for every listener of the service. */
import { REQUEST_HEAD_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { SECOND_MS } from '../kernel/units.ts';

/**
 * A missing Host is left to our own check, which answers as JSON. Repeated headers are joined instead of dropped, so
 * that a second Authorization makes the credential malformed and is not overlooked.
 */
export const HTTP_SERVER_OPTIONS = {
  maxHeaderSize: REQUEST_HEAD_LIMIT_BYTES,
  requireHostHeader: false,
  joinDuplicateHeaders: true,
  // How often heads that are late are looked for.
  connectionsCheckingInterval: SECOND_MS,
} as const;

/** As many headers as fit into a head: Node would leave those behind the 2,000th out without a word. */
export function liftHeaderCount(server: { maxHeadersCount: number | null }): void {
  server.maxHeadersCount = 0;
}
