/** Permissions of a key (contract §0.3). */

/** Feature gates of a key. */
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

/** Roles of a key; in addition, `decrypt:<pattern>` names an identifier, `family.*` or `*`. */
export const PERMISSIONS = [
  'entities.write',
  'vault.write',
  'onboard',
  'review',
  'proxy',
  'bank_links',
] as const;
export type Permission = (typeof PERMISSIONS)[number];
