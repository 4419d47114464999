/** How a link comes about, is disconnected, connected again, and goes (contract §7.2, §7.3). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { Events } from '../webhooks/index.ts';

import { unbuilt } from './unbuilt.ts';

export interface Connections {
  /** Mints an intent. Throws `not_found` for an unknown entity or link, `invalid_request` for an unknown persona. */
  intend(
    body: RequestOf<'POST /_kyclone/bank_link_intents'>['body'],
  ): Promise<AnswerOf<'POST /_kyclone/bank_link_intents'>>;
  /** Uses an intent. Throws `intent_invalid`, and `conflict` when it is used. */
  connect(caller: Caller, body: RequestOf<'POST /bank_links'>['body']): Promise<AnswerOf<'POST /bank_links'>>;
  /** Throws `not_found`. What is disconnected stays so. */
  disconnect(caller: Caller, id: string): Promise<void>;
  /** Throws `not_found`. */
  remove(caller: Caller, id: string): Promise<void>;
  /** In the write job that moves the clock back: intents that are expired by `now` stay so. */
  expire(database: Database, now: number): void;
}

export interface ConnectionsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly vault: Vault;
  readonly events: Events;
  /** Called after the commit of something that falls due. */
  readonly wake: () => void;
}

export function createConnections(context: ConnectionsContext): Connections {
  void context;
  return unbuilt<Connections>();
}
