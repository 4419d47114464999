import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Outcomes } from './service.ts';

export type { RunFacts } from './matching.ts';
export type { SignalChanges } from './repository.ts';
export { createOutcomes, type ChosenOutcome, type Outcomes } from './service.ts';

export function outcomeHandlers(outcomes: Outcomes): Handlers<KeysUnder<'/_kyclone/outcomes'>> {
  return {
    'GET /_kyclone/outcomes': ({ query }) => answer(outcomes.list(query)),
    'POST /_kyclone/outcomes': async ({ query, body }) => answer(await outcomes.create(query, body)),
    'GET /_kyclone/outcomes/{id}': ({ params, query }) => answer(outcomes.get(params.id, query)),
    'PATCH /_kyclone/outcomes/{id}': async ({ params, query, body }) =>
      answer(await outcomes.change(params.id, query, body)),
    'DELETE /_kyclone/outcomes/{id}': async ({ params, query }) => {
      await outcomes.remove(params.id, query);
      return answer({});
    },
  };
}
