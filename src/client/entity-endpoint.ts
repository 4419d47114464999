/**
 * Endpoints that exist for both users and businesses. The prefix of the id chooses between the two (contract §0.6).
 */
import type { EndpointKey } from '../contract/registry.ts';
import { isBusinessId } from '../kernel/ids/ids.ts';

type SharedKey<Key> = Key extends `${infer Method} /users/{fp_id}${infer Rest}`
  ? `${Method} /businesses/{fp_bid}${Rest}` extends EndpointKey
    ? `${Method} /{entity}${Rest}`
    : never
  : never;

/** `GET /{entity}/vault` stands for `GET /users/{fp_id}/vault` and `GET /businesses/{fp_bid}/vault`. */
export type EntityKey = SharedKey<EndpointKey>;

type UserKey<Key extends EntityKey> = Key extends `${infer Method} /{entity}${infer Rest}`
  ? Extract<EndpointKey, `${Method} /users/{fp_id}${Rest}`>
  : never;

/**
 * The endpoint's key and its path parameter. Both are typed as the user's: the business endpoint takes the same or
 * less, and returns the same.
 */
export function entityEndpoint<Key extends EntityKey>(
  key: Key,
  id: string,
): { readonly key: UserKey<Key>; readonly params: { readonly fp_id: string } } {
  const isBusiness = isBusinessId(id);
  const params: Record<string, string> = isBusiness ? { fp_bid: id } : { fp_id: id };
  const path = key.replace('{entity}', isBusiness ? 'businesses/{fp_bid}' : 'users/{fp_id}');
  return { key: path as UserKey<Key>, params: params as { fp_id: string } };
}
