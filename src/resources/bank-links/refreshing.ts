/** Asking the bank for what is new: on request, and by the clock (contract §7.2, data_refresh). */
import type { RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { DueSource } from '../clock/index.ts';
import type { Events } from '../webhooks/index.ts';

import { unbuilt } from './unbuilt.ts';

export interface Refreshes {
  /** Answers at once; the refresh is due two seconds later. Throws `not_found` and `link_disconnected`. */
  request(
    caller: Caller,
    id: string,
    body: RequestOf<'POST /bank_links/{link_id}/data_refresh'>['body'],
  ): Promise<void>;
  /** Refreshes that were asked for, and what every midnight brings. */
  readonly due: DueSource;
}

export function createRefreshes(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly events: Events;
  readonly wake: () => void;
}): Refreshes {
  void context;
  return unbuilt<Refreshes>();
}
