/**
 * The partner of a call: its address, account and credentials (contract §8.2). Errors name the member, never its value,
 * which may be a misplaced credential.
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { RequestOf } from '../../../contract/registry.ts';
import { type ServiceError, invalid } from '../../../kernel/errors.ts';
import { type SubmissionSource, textOf } from './cip-forward.ts';
import type { CipReport } from './cip-report.ts';

type Cip = RequestOf<'POST /users/{fp_id}/integrations/{partner_b}/cip'>['body'];
/** Without an account the request opens one. */
type Body = Omit<Cip, 'account_id'> & Partial<Pick<Cip, 'account_id'>>;

export interface PartnerRequest {
  readonly url: URL;
  /** Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1. */
  readonly isLoopback: boolean;
  /** Basic (RFC 7617). */
  readonly authorization: string;
}

/** `localhost`, `partner.example:8443`, `http://127.0.0.1:80`, `[::1]`, without anything before or after. */
const PLACE = /^(https?:\/\/)?([^\s/\\?#@]+)$/i;
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Throws `invalid_request` naming the member. */
export function readPartner({ account_id, api_key, api_secret, hostname }: Body): PartnerRequest {
  return { ...readPlace(hostname, account_id), authorization: basic(api_key, api_secret) };
}

function readPlace(hostname: string, accountId = ''): Pick<PartnerRequest, 'url' | 'isLoopback'> {
  const [, scheme, rest = ''] = PLACE.exec(hostname) ?? [];
  const authority = isIPv6(rest) ? `[${rest}]` : rest;
  if (!AUTHORITY.test(authority) || !URL.canParse(`http://${authority}`)) {
    throw refusal('hostname', 'is a host with or without a port and http:// or https://, and nothing else');
  }
  const isLoopback = isLoopbackHost(new URL(`http://${authority}`).hostname);
  // On their own these would be path steps, even percent-encoded.
  if (/^\.{1,2}$/.test(accountId)) throw refusal('account_id', 'may not be . or ..');
  const path = accountId === '' ? '/v1/accounts' : `/v1/accounts/${encodeURIComponent(accountId)}/cip`;
  const prefix = scheme ?? (isLoopback ? 'http://' : 'https://');
  return { url: new URL(`${prefix}${authority}${path}`), isLoopback };
}

/** In the form of a URL, which normalises addresses. */
function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/\.$/, '');
  return bare === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function basic(key: string, secret: string): string {
  if (key.includes(':')) throw refusal('api_key', 'may hold no colon: Basic could not carry it');
  if (CONTROL.test(key)) throw refusal('api_key', 'may hold no control characters');
  if (CONTROL.test(secret)) throw refusal('api_secret', 'may hold no control characters');
  return `Basic ${Buffer.from(`${key}:${secret}`, 'utf8').toString('base64')}`;
}

function refusal(member: string, why: string): ServiceError {
  return invalid(`${member} ${why}`);
}

// The data that opens an account at partner B: who the user is, and how to reach them (contract §2.25). Pure.

export type PartnerAccount = ReturnType<typeof partnerAccount>;

/** An absent value is null. */
export function partnerAccount(report: CipReport, { provider, values }: SubmissionSource) {
  const text = (name: string) => textOf(values, `id.${name}`);
  return {
    provider,
    contact: {
      email_address: text('email'),
      phone_number: text('phone_number'),
      street_address: [text('address_line1'), text('address_line2')].filter((line) => line !== null),
      city: text('city'),
      state: text('state'),
      postal_code: text('zip'),
      country: text('country'),
    },
    identity: {
      given_name: text('first_name'),
      middle_name: text('middle_name'),
      family_name: text('last_name'),
      date_of_birth: text('dob'),
      tax_id: text('us_tax_id'),
    },
    disclosures: report.self_reported,
  };
}
