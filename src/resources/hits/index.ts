import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Hits } from './service.ts';

export { createHits, type Hit, type Hits } from './service.ts';

type HitKeys = Extract<
  EndpointKey,
  `${string}/hits` | `POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review`
>;

export function hitHandlers(hits: Hits): Handlers<HitKeys> {
  return {
    'GET /_kyclone/entities/{fp_id}/hits': (request) => answer(hits.list(request)),
    'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': async (request) =>
      answer(await hits.review(request)),
  };
}
