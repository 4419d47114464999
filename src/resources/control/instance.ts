import type { StorageKind } from '../../contract/facts/control.ts';
import type { UnreadyReason } from '../../contract/facts/control.ts';

/** What the daemon knows about itself. */
export interface Instance {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly nonce: string;
  readonly storage: StorageKind;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Another address than loopback, when it listens on one. */
  readonly host: string | undefined;
  /** Set when the port listens. */
  port: number;
  url: string;
  readiness: { ready: true } | { ready: false; reason: UnreadyReason };
}
