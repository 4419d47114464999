/** Checks a proxy configuration as a call would (contract §3.3, §3.4); refusals name its members. */
import { X509Certificate } from 'node:crypto';
import { HEADER_NAME } from '../../contract/facts/requests.ts';
import { FORWARD_PREFIX } from '../../contract/facts/requests.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/ids.ts';
import { describeIdentifier } from '../../vault/identifiers/index.ts';
import { TransformBudget } from '../../vault/transforms/index.ts';
import { headersOf, rawLines, ruleText, type StoredRequest } from './configured-headers.ts';
import { readForwarded } from './forwarded-headers.ts';
import { headerLines } from './header-lines.ts';
import { INGRESS_RULE_HEADER, parseIngressRules, ruleRefused } from './ingress-rules.ts';
import { requireOwnKeyStays } from './own-key.ts';
import { CERTIFICATE_HEADER, KEY_HEADER, PIN_HEADER } from './pem-header.ts';
import {
  ACCESS_REASON_HEADER,
  INGRESS_TYPE_HEADER,
  METHOD_HEADER,
  readProxyHeaders,
} from './proxy-headers.ts';
import { TARGET_HEADER } from './proxy-target.ts';

/** The member for each header. */
const MEMBERS: readonly (readonly [header: string, member: string])[] = [
  [TARGET_HEADER, 'url'],
  [METHOD_HEADER, 'method'],
  [ACCESS_REASON_HEADER, 'access_reason'],
  [CERTIFICATE_HEADER, 'client_identity.certificate'],
  [KEY_HEADER, 'client_identity.key'],
  [PIN_HEADER, 'pins'],
  [INGRESS_TYPE_HEADER, 'ingress.content_type'],
  [INGRESS_RULE_HEADER, 'ingress.rules'],
];

/**
 * Converts a refusal of a header to one of its member; `behind` follows the name of the member. Returns other errors,
 * and those about a header of the call, unchanged.
 */
export function inMembers(error: unknown, behind = ''): unknown {
  if (!(error instanceof ServiceError)) return error;
  let { message } = error;
  for (const [header, member] of MEMBERS) {
    message = message.replaceAll(`Header ${header}`, `${member}${behind}`).replaceAll(header, member);
  }
  if (message === error.message) return error;
  const { code, context } = error;
  return new ServiceError(code, message, context && { context: { ...context } });
}

/** Runs a check, with errors in terms of members. */
function judged<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    throw inMembers(error);
  }
}

/** For rules that leave the entity to the call. */
const ANY_ENTITY = 'fp_id_any';

/**
 * Checks everything that would make any call fail. Throws `invalid_request` and `transform_invalid` naming the member.
 * Checks that depend on the time of a call are left to it: the egress policy, entities, permissions. `secretKeyHeader`:
 * the header for keys in the vocabulary.
 */
export function requireSendable(stored: StoredRequest, secretKeyHeader: string): void {
  requireDistinctNames(stored);
  for (const member of ['headers', 'secret_headers'] as const) {
    requireForwardable(stored, member, secretKeyHeader);
  }
  judged(() => {
    const { url } = readProxyHeaders(headersOf(stored));
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new ServiceError('invalid_request', `Header ${TARGET_HEADER} must be an http or https URL`);
    }
    requireRules(stored);
  });
}

/** Subject and expiry of a verified client certificate. */
export function describeCertificate(pem: string): { subject: string; validTo: Date } {
  const { subject, validTo } = new X509Certificate(pem);
  return { subject: subject.replaceAll('\n', ', '), validTo: new Date(validTo) };
}

function requireDistinctNames({ headers, secret_headers }: StoredRequest): void {
  const seen = new Set<string>();
  for (const [member, map] of Object.entries({ headers, secret_headers })) {
    for (const name of Object.keys(map).map((each) => each.toLowerCase())) {
      if (seen.has(name)) throw refused(`${member} names ${withoutCredentials(name)} a second time`);
      seen.add(name);
    }
  }
}

/** Checks each separately, so that the refusal names its place. */
function requireForwardable(
  stored: StoredRequest,
  member: 'headers' | 'secret_headers',
  secretKeyHeader: string,
): void {
  for (const [name, value] of Object.entries(stored[member])) {
    try {
      const forwarded = readForwarded(headerLines(rawLines([[FORWARD_PREFIX + name, value]])));
      requireOwnKeyStays({ url: NOWHERE, forwarded }, { rawHeaders: [], secretKeyHeader });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const what = error.message.replace(/^Header \S+ /, '').replace('its prefix', member);
      const shown = HEADER_NAME.test(name) ? `.${withoutCredentials(name)}` : '';
      throw refused(`${member}${shown} ${what}`);
    }
  }
}

const NOWHERE = new URL('http://localhost/');

function requireRules({ ingress: { rules } }: StoredRequest): void {
  const budget = new TransformBudget();
  rules.forEach((rule, index) => {
    const [first, ...others] = numbered(index, () => parseIngressRules([ruleText(rule)], ANY_ENTITY, budget));
    if (others.length > 0) throw ruleRefused(index + 1, 'it holds more than one rule');
    if (first && !describeIdentifier(first.identifier)) {
      throw ruleRefused(index + 1, 'its identifier is unknown');
    }
  });
  parseIngressRules(rules.map(ruleText), ANY_ENTITY);
}

/** Rules are parsed one by one, so each has the number 1 in its own error. */
function numbered<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, error.message.replace(': rule 1: ', `: rule ${index + 1}: `));
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
