import type { EndpointKey } from '../../contract/registry.ts';
import { entityHandlers, type Entities } from '../entities/index.ts';
import type { Handlers } from '../handlers.ts';

type UserKeys = Extract<
  EndpointKey,
  `${string} /users` | `${string} /users/search` | `${string} /users/{fp_id}`
>;

export function userHandlers(entities: Entities): Handlers<UserKeys> {
  const users = entityHandlers(entities, 'user');
  return {
    'POST /users': users.create,
    'GET /users': users.list,
    'POST /users/search': users.search,
    'GET /users/{fp_id}': users.read,
    'PATCH /users/{fp_id}': users.update,
    'DELETE /users/{fp_id}': users.remove,
  };
}
