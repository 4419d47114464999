/** What a recording keeps of a session, and what never gets into one. */
import { MIB } from '../../kernel/units.ts';
import type { MethodAndPath } from './requests.ts';
import { IDENTIFIER_FAMILIES } from './vault.ts';

export const RECORDED_CALLS_LIMIT = 1_000;
export const RECORDED_BYTES_LIMIT = 64 * MIB;

/** Calls of the control plane whose secrets stay out, by the members that hold them. */
export const SECRET_MEMBERS: Readonly<Partial<Record<MethodAndPath, readonly string[]>>> = {
  'POST /_kyclone/api-keys': ['key'],
  'POST /_kyclone/proxies': ['secret_headers', 'client_identity'],
  'PATCH /_kyclone/proxies/{id}': ['secret_headers', 'client_identity'],
  'POST /_kyclone/webhooks': ['secret'],
  'POST /_kyclone/webhooks/{id}/rotate': ['secret'],
};

/**
 * Nothing of these calls is kept: keys of the vault, credentials of a partner, and what throws a whole state away, which
 * a fixture is not expected to have. Rules for faults stay out too: what they hit is in no recording, so that the fixture
 * says what the API does, and passes where it does so.
 */
export const NEVER_RECORDED =
  /^\w+ \/(?:_kyclone\/(?:faults|keyring|reset|snapshots)|users\/\{fp_id\}\/integrations\/\{partner_b\})/;

/** The query parameters that are kept: where a call goes and whether it is tried only, nothing that finds a person. */
export const RECORDED_PARAMETERS = ['tenant', 'environment', 'dry_run'] as const;

/** Calls that only inspect: no part of a session. */
export const LOOKS_ON = /^(?:GET \/_kyclone\/|\w+ \/_kyclone\/recording$)/;

/** Members that hold a person's or a company's data, or a key of the caller's: a masked recording asks for them. */
export const PERSONAL_MEMBER = new RegExp(
  `^(?:(?:${IDENTIFIER_FAMILIES.join('|')})\\..+|search|equals|signing_key|first_name|last_name|email|phone_number)$`,
);
