import type { StorageKind } from '../../contract/facts/control.ts';
import type { UnreadyReason } from '../../contract/facts/control.ts';

/** Facts that the daemon knows about itself. */
export interface Instance {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly nonce: string;
  readonly storage: StorageKind;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The address, when it listens on one other than loopback. */
  readonly host: string | undefined;
  /** Set once the port listens. */
  port: number;
  url: string;
  readiness: { ready: true } | { ready: false; reason: UnreadyReason };
}
