/** Abilities and lifetimes of client tokens (contract §0.2, §2.2–2.7). */

/** What a client token may do with its identifiers. */
export type TokenAbility = 'write' | 'upload' | 'decrypt' | 'download';

/** Scopes for tokens of a business; tokens of a user also have one for cards only. */
export const BUSINESS_TOKEN_SCOPES = ['vault', 'decrypt', 'vault_and_decrypt', 'decrypt_download'] as const;
export const TOKEN_SCOPES = [...BUSINESS_TOKEN_SCOPES, 'vault_card'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The scopes that grant each ability (contract §2.3, §2.5–2.7). */
export const TOKEN_SCOPES_THAT: Readonly<Record<TokenAbility, readonly TokenScope[]>> = {
  write: ['vault', 'vault_and_decrypt', 'vault_card'],
  upload: ['vault', 'vault_and_decrypt'],
  decrypt: ['decrypt', 'vault_and_decrypt'],
  download: ['decrypt_download'],
};

/** Scopes in the older member `scopes`. */
export const LEGACY_TOKEN_SCOPES = ['vault', 'decrypt', 'decrypt_download'] as const;
export type LegacyTokenScope = (typeof LEGACY_TOKEN_SCOPES)[number];

export const TOKEN_TTL_SECONDS = { least: 60, most: 86_400, default: 1_800 } as const;
