/** What a recording contains, and what it never contains. */
import { MIB } from '../../kernel/numbers/units.ts';
import type { MethodAndPath } from '../requests/facts.ts';
import { IDENTIFIER_FAMILIES } from '../vault/facts.ts';

export const RECORDED_CALLS_LIMIT = 1_000;
export const RECORDED_BYTES_LIMIT = 64 * MIB;

/** Calls of the control plane with secrets, and the members that are left out. */
export const SECRET_MEMBERS: Readonly<Partial<Record<MethodAndPath, readonly string[]>>> = {
  'POST /_kyclone/api-keys': ['key'],
  'POST /_kyclone/proxies': ['secret_headers', 'client_identity'],
  'PATCH /_kyclone/proxies/{id}': ['secret_headers', 'client_identity'],
  'POST /_kyclone/webhooks': ['secret'],
  'POST /_kyclone/webhooks/{id}/rotate': ['secret'],
};

/**
 * Calls that are never recorded: keys of the vault, credentials of a partner, and operations that discard the whole
 * state, which a fixture should not do, and the console's way in. Fault rules are left out, too. Requests that they
 * affect are not recorded, so that the fixture describes the API itself and passes against it.
 */
export const NEVER_RECORDED =
  /^\w+ \/(?:_kyclone\/(?:console|faults|keyring|reset|snapshots)|users\/\{fp_id\}\/integrations\/\{partner_b\})/;

/** The recorded query parameters: only those for the place of a call and a dry run, never those that find a person. */
export const RECORDED_PARAMETERS = ['tenant', 'environment', 'dry_run'] as const;

/** Calls that only inspect and are not part of a session. */
export const LOOKS_ON = /^(?:GET \/_kyclone\/|\w+ \/_kyclone\/recording$)/;

/** Members with personal or company data, or a key of the caller: a masked recording asks for their values. */
export const PERSONAL_MEMBER = new RegExp(
  `^(?:(?:${IDENTIFIER_FAMILIES.join('|')})\\..+|search|equals|signing_key|first_name|last_name|email|phone_number)$`,
);
