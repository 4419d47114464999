/** Links, accounts, transactions and investments as they are answered (contract §7.1, §7.2). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { BankLink } from '../../contract/bank-links.ts';

import { unbuilt } from './unbuilt.ts';

/** Everything but the lists of links throws `not_found` for a link that the caller's tenant and environment don't have. */
export interface Readings {
  list(caller: Caller, query: RequestOf<'GET /bank_links'>['query']): AnswerOf<'GET /bank_links'>;
  /** Newest first. */
  ofEntity(database: Database, entity: { readonly id: number }): BankLink[];
  get(caller: Caller, id: string): BankLink;
  accounts(caller: Caller, id: string): AnswerOf<'GET /bank_links/{link_id}/accounts'>;
  /** Throws `invalid_request` for a date that is none, and for a start after the end. */
  transactions(
    caller: Caller,
    id: string,
    query: RequestOf<'GET /bank_links/{link_id}/transactions'>['query'],
  ): AnswerOf<'GET /bank_links/{link_id}/transactions'>;
  holdings(
    caller: Caller,
    id: string,
    query: RequestOf<'GET /bank_links/{link_id}/investments/holdings'>['query'],
  ): AnswerOf<'GET /bank_links/{link_id}/investments/holdings'>;
  /** Throws `invalid_request` as `transactions` does. */
  investmentTransactions(
    caller: Caller,
    id: string,
    query: RequestOf<'GET /bank_links/{link_id}/investments/transactions'>['query'],
  ): AnswerOf<'GET /bank_links/{link_id}/investments/transactions'>;
}

export function createReadings(context: { database: Database; vault: Vault }): Readings {
  void context;
  return unbuilt<Readings>();
}
