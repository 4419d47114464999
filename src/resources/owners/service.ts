/** Beneficial owners of businesses (contract §10). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { EntityRow } from '../entities/index.ts';

export type Owner = AnswerOf<'GET /businesses/{fp_bid}/owners'>['data'][number];

export interface Owners {
  list(
    database: Database,
    business: EntityRow,
    query: RequestOf<'GET /businesses/{fp_bid}/owners'>['query'],
  ): AnswerOf<'GET /businesses/{fp_bid}/owners'>;
  /** All of them, newest first. */
  all(database: Database, business: EntityRow): Owner[];
  /** Throws `invalid_request`: no user of this tenant, linked already, over 100 per cent together. */
  add(business: EntityRow, owner: RequestOf<'POST /businesses/{fp_bid}/owners'>['body']): Promise<void>;
}

export function createOwners(_context: { queue: WriteQueue; clock: Clock }): Owners {
  return unbuilt<Owners>({ all: () => [] });
}
