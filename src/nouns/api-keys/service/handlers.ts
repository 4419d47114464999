import { answer, answered, DEPRECATED, type Handlers, type KeysUnder, done } from '../../handlers.ts';
import type { ApiKeys } from './operations.ts';

export function apiKeyHandlers(
  apiKeys: ApiKeys,
): Handlers<KeysUnder<'/_kyclone/api-keys' | '/org/api_keys'>> {
  return {
    'GET /org/api_keys/check': () => answer({}, DEPRECATED),
    'GET /_kyclone/api-keys': ({ query }) => answer(apiKeys.list(query)),
    'POST /_kyclone/api-keys': ({ body }) => answered(apiKeys.create(body ?? {})),
    'PATCH /_kyclone/api-keys/{id}': ({ params, body }) => answered(apiKeys.change(params.id, body)),
    'DELETE /_kyclone/api-keys/{id}': ({ params }) => done(apiKeys.remove(params.id)),
  };
}
