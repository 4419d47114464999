import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault } from '../../vault/vault.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import { listReviews } from './reviews.ts';
import type { Search } from './service.ts';

export { createSearch, type Search } from './service.ts';

export function searchHandlers(context: {
  readonly queue: WriteQueue;
  readonly vault: Vault;
  readonly signals: RiskSignals;
  readonly search: Search;
}): Handlers<'POST /_kyclone/search' | 'GET /_kyclone/reviews'> {
  const { queue, search } = context;
  const reviews = { ...context, database: queue.database };
  return {
    'POST /_kyclone/search': async (request) => answer(await search.search(request)),
    'GET /_kyclone/reviews': ({ query }) => answer(listReviews(reviews, query)),
  };
}
