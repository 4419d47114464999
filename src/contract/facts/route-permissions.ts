/**
 * The permissions of routes (contract §0.3): what the key of a call may do, or the key behind its client token or hosted
 * link. Every route that is called with one of these and changes something is here.
 */
import type { MethodAndPath } from '../../nouns/requests/facts.ts';
import type { Permission } from './permissions.ts';

export type RequiredPermission = Permission | 'decrypt:*';

export interface RoutePermission {
  /** Every call needs it. */
  readonly needs?: RequiredPermission;
  /** A call that replaces or deletes a stored value of an existing entity needs it, too. */
  readonly toReplace?: Permission;
  /** Checked for each identifier that the call names. */
  readonly ofIdentifiers?: 'decrypt' | 'those of the token';
}

const ENTITIES = { needs: 'entities.write' } as const;
const VAULT = { needs: 'vault.write' } as const;
const DECRYPT = { ofIdentifiers: 'decrypt' } as const;
const MINT = { ofIdentifiers: 'those of the token' } as const;
const REVIEW = { needs: 'review' } as const;
const PAGE = { needs: 'onboard' } as const;
const ONBOARD = { needs: 'onboard', toReplace: 'vault.write' } as const;
const PROXY = { needs: 'proxy', toReplace: 'vault.write', ofIdentifiers: 'decrypt' } as const;
const BANK = { needs: 'bank_links' } as const;

export const ROUTE_PERMISSIONS = {
  'POST /users': ENTITIES,
  'PATCH /users/{fp_id}': ENTITIES,
  'DELETE /users/{fp_id}': ENTITIES,
  'POST /businesses': ENTITIES,
  'PATCH /businesses/{fp_bid}': ENTITIES,
  'DELETE /businesses/{fp_bid}': ENTITIES,
  'POST /businesses/{fp_bid}/owners': ENTITIES,
  'DELETE /businesses/{fp_bid}/owners/{fp_id}': ENTITIES,

  'PATCH /users/{fp_id}/vault': VAULT,
  'DELETE /users/{fp_id}/vault': VAULT,
  'POST /users/{fp_id}/vault/validate': VAULT,
  'POST /users/{fp_id}/vault/{identifier}/upload': VAULT,
  'PATCH /businesses/{fp_bid}/vault': VAULT,
  'DELETE /businesses/{fp_bid}/vault': VAULT,
  'POST /businesses/{fp_bid}/vault/validate': VAULT,
  'POST /businesses/{fp_bid}/vault/{identifier}/upload': VAULT,

  'POST /users/{fp_id}/client_token': MINT,
  'POST /businesses/{fp_bid}/client_token': MINT,
  'PATCH /users/vault': VAULT,
  'POST /users/vault/validate': VAULT,
  'POST /users/vault/{identifier}/upload': VAULT,

  'POST /users/search': { needs: 'decrypt:*' },
  'POST /users/{fp_id}/vault/decrypt': DECRYPT,
  'POST /users/{fp_id}/vault/integrity': DECRYPT,
  'POST /businesses/{fp_bid}/vault/decrypt': DECRYPT,
  'POST /businesses/{fp_bid}/vault/integrity': DECRYPT,
  'POST /users/vault/decrypt': DECRYPT,
  'GET /users/vault/decrypt/{token}': DECRYPT,
  'POST /users/{fp_id}/verify': DECRYPT,
  'POST /businesses/{fp_bid}/verify': DECRYPT,
  'POST /users/{fp_id}/compare': DECRYPT,
  'POST /businesses/{fp_bid}/compare': DECRYPT,
  'POST /users/{fp_id}/integrations/{partner_a}/cip_report': DECRYPT,
  'POST /users/{fp_id}/integrations/{partner_b}/cip': DECRYPT,
  'POST /users/{fp_id}/integrations/{partner_b}/account': DECRYPT,

  'POST /users/{fp_id}/decisions': REVIEW,
  'POST /businesses/{fp_bid}/decisions': REVIEW,
  'GET /users/{fp_id}/duplicates': REVIEW,
  'GET /users/{fp_id}/label': REVIEW,
  'POST /users/{fp_id}/label': REVIEW,
  'GET /users/{fp_id}/tags': REVIEW,
  'POST /users/{fp_id}/tags': REVIEW,
  'DELETE /users/{fp_id}/tags/{tag_id}': REVIEW,
  'GET /businesses/{fp_bid}/label': REVIEW,
  'POST /businesses/{fp_bid}/label': REVIEW,
  'GET /businesses/{fp_bid}/tags': REVIEW,
  'POST /businesses/{fp_bid}/tags': REVIEW,
  'DELETE /businesses/{fp_bid}/tags/{tag_id}': REVIEW,

  'POST /users/{fp_id}/kyc': PAGE,
  'POST /users/{fp_id}/reonboard': PAGE,
  'POST /businesses/{fp_bid}/kyb': PAGE,
  'POST /onboarding/session': ONBOARD,
  'POST /onboarding/session/run': ONBOARD,
  'POST /users/{fp_id}/token': ONBOARD,
  'POST /onboarding/session/validate': PAGE,
  'PATCH /hosted/browser/session': ONBOARD,
  'POST /hosted/session/identify': PAGE,
  'POST /hosted/session/verify': PAGE,
  'POST /hosted/session/data': ONBOARD,
  'POST /hosted/session/owners': PAGE,
  'POST /hosted/session/document': ONBOARD,
  'POST /hosted/session/document/{side}': ONBOARD,
  'POST /hosted/session/bank': PAGE,
  'POST /hosted/session/bank/complete': PAGE,
  'POST /hosted/session/bank/cancel': PAGE,
  'POST /hosted/session/consent': PAGE,
  'POST /hosted/session/complete': ONBOARD,
  'POST /hosted/session/cancel': PAGE,
  'GET /hosted/session': PAGE,
  'GET /hosted/session/bank': PAGE,

  'POST /vault_proxy/jit': PROXY,
  'POST /vault_proxy/{proxy_id}': PROXY,
  'POST /vault_proxy/reflect': { needs: 'proxy', ofIdentifiers: 'decrypt' },
  'POST /vault_proxy/render': PROXY,

  'GET /bank_links': BANK,
  'POST /bank_links': { needs: 'bank_links', toReplace: 'vault.write' },
  'GET /bank_links/{link_id}': BANK,
  'DELETE /bank_links/{link_id}': BANK,
  'GET /bank_links/{link_id}/accounts': BANK,
  'GET /bank_links/{link_id}/transactions': BANK,
  'GET /bank_links/{link_id}/investments/holdings': BANK,
  'GET /bank_links/{link_id}/investments/transactions': BANK,
  'POST /bank_links/{link_id}/data_refresh': BANK,
  'POST /bank_links/{link_id}/import/transactions': BANK,
  'POST /bank_links/{link_id}/reset': BANK,
} as const satisfies Readonly<Partial<Record<MethodAndPath, RoutePermission>>>;

/** Undefined for a route that needs no permission. */
export function permissionOfRoute(key: MethodAndPath): RoutePermission | undefined {
  return Object.hasOwn(ROUTE_PERMISSIONS, key)
    ? ROUTE_PERMISSIONS[key as keyof typeof ROUTE_PERMISSIONS]
    : undefined;
}
