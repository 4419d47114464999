/**
 * Credentials: where they stand, and what replies and summaries leave out of them (contract §0.2). Their prefixes are in
 * kernel/ids.ts.
 */

/** The header of a client token. */
export const CLIENT_TOKEN_HEADER = 'x-fp-authorization';
/** Headers that may hold a credential, whatever the setting `vocabulary.secret_key_header` says. */
export const CREDENTIAL_HEADERS = ['authorization', CLIENT_TOKEN_HEADER, 'cookie'] as const;

/** The members of a locator or a summary that open the instance. */
export const INSTANCE_SECRETS = ['api_key', 'live_api_key', 'control_token'] as const;

/** As whom a request was made. */
export const CALLER_KINDS = ['key', 'live_key', 'token', 'control', 'none'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** What replies show in the place of a secret; on a change it keeps the secret that is stored. */
export const SECRET_SHOWN = '***';

/** Members and query parameters that hold a secret, searched values, or headers for a third party. */
export const SECRET_NAME =
  /secret|passphrase|password|token|^(?:api_)?key$|^search$|^q$|^headers$|credential/;
