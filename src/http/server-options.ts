/** Options of Node's HTTP server, shared by every listener. */
import { REQUEST_HEAD_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { SECOND_MS } from '../kernel/units.ts';

/**
 * Our own check reports a missing Host, as JSON. Repeated headers are joined instead of dropped, so that a second
 * Authorization header makes the credential malformed and is not overlooked.
 */
export const HTTP_SERVER_OPTIONS = {
  maxHeaderSize: REQUEST_HEAD_LIMIT_BYTES,
  requireHostHeader: false,
  joinDuplicateHeaders: true,
  // The interval of the check for late heads.
  connectionsCheckingInterval: SECOND_MS,
} as const;

/** Allows as many headers as fit into a head: by default Node silently drops those after the 2,000th. */
export function liftHeaderCount(server: { maxHeadersCount: number | null }): void {
  server.maxHeadersCount = 0;
}
