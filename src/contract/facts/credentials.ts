/**
 * Credentials: where requests carry them, and what responses and summaries leave out (contract §0.2). Their prefixes
 * are in kernel/ids/ids.ts.
 */

export const CLIENT_TOKEN_HEADER = 'x-fp-authorization';
export const CONSOLE_HEADER = 'x-kyclone-console';
/** Headers that may carry a credential, in addition to that of the setting `vocabulary.secret_key_header`. */
export const CREDENTIAL_HEADERS = ['authorization', CLIENT_TOKEN_HEADER, CONSOLE_HEADER, 'cookie'] as const;

/** The members of a locator or a summary that grant access to the instance. */
export const INSTANCE_SECRETS = ['api_key', 'live_api_key', 'control_token'] as const;

/** The kinds of credential that a request was made with. */
export const CALLER_KINDS = ['key', 'live_key', 'token', 'control', 'none'] as const;
export type CallerKind = (typeof CALLER_KINDS)[number];

/** The replacement for a secret in responses; in a change it keeps the stored secret. */
export const SECRET_SHOWN = '***';

/** Members and query parameters with a secret, searched values, or headers for a third party. */
export const SECRET_NAME =
  /secret|passphrase|password|token|^(?:api_)?key$|^search$|^q$|^headers$|credential/;
