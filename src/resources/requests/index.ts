import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Journal } from './journal.ts';

export { createJournal, type Journal, type JournalEntry } from './journal.ts';
export { maskedAnswer, maskedRequest } from './masked-body.ts';

type RequestKeys = Extract<EndpointKey, `${string} /_kyclone/requests${'' | '/{id}' | '/{id}/proxy'}`>;

export function requestHandlers(journal: Journal): Handlers<RequestKeys> {
  return {
    'GET /_kyclone/requests': ({ query }) => answer(journal.list(query)),
    'GET /_kyclone/requests/{id}': ({ params }) => answer(journal.get(params.id)),
    'GET /_kyclone/requests/{id}/proxy': ({ params }) => answer(journal.explanationOf(params.id)),
    'DELETE /_kyclone/requests': () => {
      journal.clear();
      return answer({});
    },
  };
}
