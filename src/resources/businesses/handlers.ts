import type { EndpointKey } from '../../contract/registry.ts';
import { entityHandlers, type Entities } from '../entities/index.ts';
import type { Handlers } from '../handlers.ts';

type BusinessKeys = Extract<EndpointKey, `${string} /businesses` | `${string} /businesses/{fp_bid}`>;

export function businessHandlers(entities: Entities): Handlers<BusinessKeys> {
  const businesses = entityHandlers(entities, 'business');
  return {
    'POST /businesses': businesses.create,
    'GET /businesses': businesses.list,
    'GET /businesses/{fp_bid}': businesses.read,
    'PATCH /businesses/{fp_bid}': businesses.update,
    'DELETE /businesses/{fp_bid}': businesses.remove,
  };
}
