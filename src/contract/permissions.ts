import { Type } from '@sinclair/typebox';
import { named } from './named.ts';
import { EXPECTS } from './expectation.ts';

/** Feature gates of a key (contract §0.3). */
export const SCOPES = [
  'preview:bank_linking',
  'preview:vault_integrity',
  'preview:documents_list',
  'preview:list_duplicate_users',
  'preview:decisions_list',
  'preview:risk_signals_list',
  'preview:onboardings_list',
  'preview:legacy_list_users_businesses',
  'preview:vault_proxy_jit',
  'preview:list_business_owners',
  'preview:create_business_owner',
  'preview:onboarding_session_token',
  'preview:create_user_decision',
  'preview:labels',
  'preview:tags',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of a key; `decrypt:<pattern>` beside them names an identifier, `family.*` or `*` (contract §0.3). */
export const PERMISSIONS = [
  'entities.write',
  'vault.write',
  'onboard',
  'review',
  'proxy',
  'bank_links',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ScopeName = named('Scope', Type.Union(SCOPES.map((scope) => Type.Literal(scope))));
export const PermissionName = named(
  'Permission',
  Type.Union([
    ...PERMISSIONS.map((permission) => Type.Literal(permission)),
    Type.String({
      pattern: '^decrypt:[A-Za-z0-9_.*\\-]{1,256}$',
      [EXPECTS]: 'decrypt: followed by a data identifier or a pattern, such as decrypt:card.*',
    }),
  ]),
);
