/** Transactions of another provider, all of them or none (contract §7.4). */
import type { RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';

import { unbuilt } from './unbuilt.ts';

export interface Imports {
  /**
   * Visible when it settles. Throws `not_found`, `link_disconnected`, and `invalid_request` with what is wrong by
   * `transactions[<i>].<member>`, the first fifty.
   */
  import(
    caller: Caller,
    id: string,
    body: RequestOf<'POST /bank_links/{link_id}/import/transactions'>['body'],
  ): Promise<void>;
}

export function createImports(context: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
}): Imports {
  void context;
  return unbuilt<Imports>();
}
