/**
 * The only catalogue of errors (contract §12). `http` reads the status from it, the CLI the exit code of the category,
 * the docs the table. `server` codes mean that the instance, not the request, is at fault.
 */
export type ErrorCategory =
  | 'validation'
  | 'onboarding'
  | 'input'
  | 'state'
  | 'credential'
  | 'permission'
  | 'transport'
  | 'lookup'
  | 'limit'
  | 'proxy'
  /** Another server that was called on behalf of the caller. */
  | 'upstream'
  | 'server'
  /** Requested by a fault rule. */
  | 'fault'
  /** Failures at the daemon's start; they have no HTTP response of their own. */
  | 'startup';

export interface ErrorEntry {
  readonly status: number;
  readonly category: ErrorCategory;
  readonly meaning: string;
  /** The next step, where the code alone determines it; otherwise it is in the message. */
  readonly hint?: string;
  /** Missing in the service's own contract: decided here (contract §13). */
  readonly assumed?: string;
}

export const ERRORS = {
  T120: {
    status: 400,
    category: 'validation',
    meaning: 'vault data not valid',
    hint: 'kyclone vault identifiers shows the rule of each identifier',
  },
  T121: {
    status: 400,
    category: 'onboarding',
    meaning: 'playbook requirements unmet',
    hint: 'write the listed identifiers to the vault first',
  },
  T122: {
    status: 409,
    category: 'onboarding',
    meaning: 'already onboarded on this playbook',
    hint: 'allow_reonboard: true starts another one',
  },
  invalid_request: {
    status: 400,
    category: 'input',
    meaning: 'parameter, header, member or identifier not valid',
  },
  invalid_json: {
    status: 400,
    category: 'input',
    meaning: 'body is not JSON',
    hint: 'check quoting and encoding',
  },
  reason_required: {
    status: 400,
    category: 'input',
    meaning: 'decryption without reason',
    hint: 'send a reason, or put decrypt_reason in the token',
  },
  transform_invalid: {
    status: 400,
    category: 'input',
    meaning: 'transform unknown or arguments wrong',
    hint: 'kyclone transform --list and /_kyclone/docs#transforms list all transforms with their arguments',
  },
  transform_failed: {
    status: 400,
    category: 'input',
    meaning: 'value does not fit the transform',
    hint: 'kyclone transform --list shows what each transform takes',
  },
  external_id_taken: {
    status: 400,
    category: 'input',
    meaning: 'external id in use',
    hint: 'choose another external id',
  },
  playbook_unknown: {
    status: 400,
    category: 'input',
    meaning: 'no such playbook for this kind and environment',
    hint: 'kyclone playbooks list shows the playbooks',
  },
  intent_invalid: {
    status: 400,
    category: 'input',
    meaning: 'bank-link intent unknown or expired',
    hint: 'mint a new one: kyclone bank link',
  },
  decision_required: {
    status: 400,
    category: 'state',
    meaning: 'the integration needs a decision',
    hint: 'run an onboarding or decide by hand first',
  },
  decision_not_approved: {
    status: 400,
    category: 'state',
    meaning: 'the latest decision is not a pass',
    hint: 'the user needs a pass first',
  },
  proxy_token_invalid: {
    status: 400,
    category: 'proxy',
    meaning: 'a proxy token is malformed; nothing was sent',
    hint: 'check the identifier, and the entity unless x-fp-id gives it',
  },
  proxy_token_unresolved: {
    status: 400,
    category: 'proxy',
    meaning: 'the entity or datum of a proxy token is absent; nothing was sent',
    hint: 'check identifier and entity',
  },
  proxy_too_many_tokens: {
    status: 400,
    category: 'proxy',
    meaning: 'over 100 proxy tokens',
    hint: 'split the request',
  },
  proxy_target_refused: {
    status: 400,
    category: 'proxy',
    meaning: 'the egress policy forbids the target',
    hint: 'change egress.policy',
  },
  unauthenticated: {
    status: 401,
    category: 'credential',
    meaning: 'missing, malformed, unknown or disabled credential',
    hint: 'kyclone env prints the credentials of an instance',
  },
  token_expired: {
    status: 401,
    category: 'credential',
    meaning: 'client token expired',
    hint: 'make a new one: kyclone users token',
  },
  scope_missing: {
    status: 403,
    category: 'permission',
    meaning: 'key lacks the scope',
    hint: 'kyclone keys create makes a key with all scopes, unless some are chosen',
  },
  origin_refused: {
    status: 403,
    category: 'transport',
    meaning: 'a web page of another origin called',
    hint: 'the setting cors.origins admits it to the client-token endpoints; secret keys belong on a server',
  },
  permission_denied: {
    status: 403,
    category: 'permission',
    meaning: 'key or token may not do this',
    hint: 'use a key or token that may, or make one',
  },
  not_found: {
    status: 404,
    category: 'lookup',
    meaning: 'no such path or entity in this tenant and environment',
  },
  method_not_allowed: {
    status: 405,
    category: 'lookup',
    meaning: 'wrong method',
    hint: 'the allow header lists the methods of this path',
  },
  conflict: {
    status: 409,
    category: 'state',
    meaning: 'id, intent, snapshot or onboarding in conflicting state',
  },
  link_disconnected: {
    status: 409,
    category: 'state',
    meaning: 'bank link in state error',
    hint: 'reconnect with a new intent: kyclone bank link --link',
  },
  request_timeout: {
    status: 408,
    category: 'transport',
    meaning: 'the head or the body of the request did not come in time',
    hint: 'send it without pauses; a file may take any time while data keeps arriving',
    assumed: 'the specification has no code for a client that stops sending',
  },
  payload_too_large: { status: 413, category: 'limit', meaning: 'body over its limit' },
  unsupported_media_type: {
    status: 415,
    category: 'input',
    meaning: 'content type not accepted',
    hint: 'send content-type: application/json',
  },
  misdirected_request: {
    status: 421,
    category: 'transport',
    meaning: 'Host not served',
    hint: 'use the URL that kyclone start printed; the setting hosts admits other host names',
  },
  headers_too_large: {
    status: 431,
    category: 'limit',
    meaning: 'request head over 64 KiB',
    hint: 'send fewer or shorter headers',
  },
  internal_error: {
    status: 500,
    category: 'server',
    meaning: 'unexpected; outcome unknown after a write',
    hint: 'kyclone requests get REQUEST shows what came in',
  },
  proxy_upstream_unreachable: {
    status: 502,
    category: 'upstream',
    meaning: 'the target of the proxy cannot be reached, trusted or understood',
    hint: 'check the target; kyclone proxy explain shows how far it went',
  },
  proxy_response_too_large: {
    status: 502,
    category: 'upstream',
    meaning: 'the answer of the proxy target is over 5 MiB',
    hint: 'check the target',
  },
  partner_unreachable: {
    status: 502,
    category: 'upstream',
    meaning: 'the partner could not be reached',
    hint: 'check the hostname, and egress.policy',
  },
  proxy_ingress_failed: {
    status: 502,
    category: 'upstream',
    meaning: 'the answer of the proxy target is not the JSON that ingress rules need; nothing was stored',
    hint: 'check the target',
  },
  rate_limited: {
    status: 429,
    category: 'limit',
    meaning: 'this product of the bank link was refreshed too recently; nothing is under way',
    hint: 'try again after retry-after, or move the clock',
    assumed: 'the specification has no code for the limits of refreshes',
  },
  fault_injected: {
    status: 503,
    category: 'fault',
    meaning: 'a fault rule answered; the status is that of the rule',
    hint: 'list or clear faults: kyclone faults list',
  },
  overloaded: {
    status: 503,
    category: 'server',
    meaning: 'too many connections, or too much memory held for other requests; nothing was done',
    hint: 'try again after retry-after, with fewer requests at a time',
    assumed: 'the specification has no code for an overloaded daemon',
  },
  not_ready: {
    status: 503,
    category: 'server',
    meaning: 'starting or stopping',
    hint: 'kyclone wait returns when it is ready',
  },
  sealed: {
    status: 503,
    category: 'server',
    meaning: 'vault key not available',
    hint: 'make the vault key available',
  },
  vault_damaged: {
    status: 503,
    category: 'server',
    meaning:
      'a sealed value failed its authentication, or a page of the store cannot be read; nothing of it was used',
    hint: 'restore the damaged snapshot or data directory from a copy; instead of a data directory you can load a snapshot into a new one',
    assumed: 'the specification has no code for a ciphertext or a page that was changed on disk',
  },
  store_missing: {
    status: 503,
    category: 'server',
    meaning: 'the files of the store were moved, removed or replaced; nothing is written',
    hint: 'put the files back where they were',
    assumed: 'the specification has no code for a store without its files',
  },
  instance_running: {
    status: 409,
    category: 'startup',
    meaning: 'another daemon holds this instance or its data directory',
    hint: 'kyclone status, kyclone stop, or another --instance',
    assumed: 'start-up refusals have codes of their own',
  },
  port_taken: {
    status: 409,
    category: 'startup',
    meaning: 'another program listens on the port',
    hint: 'another --port, or --port 0 for a free one',
    assumed: 'start-up refusals have codes of their own',
  },
  key_file_refused: {
    status: 400,
    category: 'input',
    meaning: 'the vault key file is missing, unreadable, open to others or malformed',
    assumed: 'start-up refusals have codes of their own',
  },
  vault_key_invalid: {
    status: 400,
    category: 'input',
    meaning:
      'a vault key, passphrase or recovery code is malformed, or the key of a snapshot does not open it',
    assumed: 'the specification has no code for a malformed vault key',
  },
  proxy_upstream_timeout: {
    status: 504,
    category: 'upstream',
    meaning: 'the proxy target took over 30 seconds',
    hint: 'check the target',
  },
  storage_failed: {
    status: 503,
    category: 'server',
    meaning: 'the disk or its permissions refused to read or write a file of the instance',
    assumed: 'the specification has no code for a disk failure other than a full disk',
  },
  storage_full: {
    status: 507,
    category: 'server',
    meaning: 'no space; nothing was stored',
    hint: 'free some space, then try again',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** The entry of a code; an unknown code is a bug and is reported as `internal_error`. */
export function errorEntry(code: string): ErrorEntry {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : ERRORS.internal_error;
}
