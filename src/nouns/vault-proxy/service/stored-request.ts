/** Checks a proxy configuration as a call would (contract §3.3, §3.4); refusals name its members. */
import { X509Certificate } from 'node:crypto';
import {
  FORWARD_PREFIX,
  HEADER_NAME,
  type HttpMethod,
  PROXY_HEADERS,
  READ_BY_PROXY,
} from '../../requests/facts.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { withoutCredentials } from '../../../kernel/ids/ids.ts';
import { describeIdentifier } from '../../../vault/identifiers/index.ts';
import { TransformBudget } from '../../../vault/transforms/index.ts';
import { headerLines, headerRefusal, readForwarded } from './forwarded-headers.ts';
import { parseIngressRules, ruleRefused } from './ingress-rules.ts';
import { readProxyHeaders, requireOwnKeyStays } from './proxy-headers.ts';
import type { IngressType } from '../../vault/facts.ts';
import type { Caller } from '../../api-keys/service/index.ts';

const MEMBERS: readonly (readonly [header: string, member: string])[] = [
  [PROXY_HEADERS.targetUrl, 'url'],
  [PROXY_HEADERS.method, 'method'],
  [PROXY_HEADERS.accessReason, 'access_reason'],
  [PROXY_HEADERS.clientCertificate, 'client_identity.certificate'],
  [PROXY_HEADERS.clientKey, 'client_identity.key'],
  [PROXY_HEADERS.pins, 'pins'],
  [PROXY_HEADERS.ingressContentType, 'ingress.content_type'],
  [PROXY_HEADERS.ingressRule, 'ingress.rules'],
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
  try {
    const { url } = readProxyHeaders(headersOf(stored));
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw invalid(`Header ${PROXY_HEADERS.targetUrl} must be an http or https URL`);
    }
    requireRules(stored);
  } catch (error) {
    throw inMembers(error);
  }
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
      if (seen.has(name)) throw invalid(`${member} names ${withoutCredentials(name)} a second time`);
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
      throw invalid(`${member}${shown} ${what}`);
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

// Converts a stored configuration to the equivalent headers (contract §3.4), so that a call with it uses the same code
// as a call of jit.

/** The request part of a configuration, in the given texts. */
export interface StoredRequest {
  readonly url: string;
  readonly method: HttpMethod;
  /** Empty for none. */
  readonly access_reason: string;
  /** For the target. */
  readonly headers: Readonly<Record<string, string>>;
  /** For the target, too, and never shown. */
  readonly secret_headers: Readonly<Record<string, string>>;
  /** PEM. */
  readonly client_identity?: { readonly certificate: string; readonly key: string };
  /** PEM. */
  readonly pins: readonly string[];
  readonly ingress: {
    readonly content_type: IngressType;
    readonly rules: readonly { readonly token: string; readonly target: string }[];
  };
}

/** Access to stored configurations. */
export interface Configurations {
  /** Throws `not_found` for an unknown one, or one of another tenant or environment than the caller's. */
  open(caller: Caller, id: string): { readonly enabled: boolean; readonly request: StoredRequest };
}

/** Alternating names and values, as Node provides them for a request: one character for each byte. */
type RawHeaders = readonly string[];

/** The headers for an equivalent call of jit. */
function headersOf(stored: StoredRequest): RawHeaders {
  const { client_identity: identity, ingress, pins } = stored;
  const own: readonly (readonly [name: string, value: string | undefined])[] = [
    [PROXY_HEADERS.targetUrl, stored.url],
    [PROXY_HEADERS.method, stored.method],
    [PROXY_HEADERS.accessReason, stored.access_reason || undefined],
    [PROXY_HEADERS.clientCertificate, identity && base64(identity.certificate)],
    [PROXY_HEADERS.clientKey, identity && base64(identity.key)],
    ...pins.map((pin) => [PROXY_HEADERS.pins, base64(pin)] as const),
    [PROXY_HEADERS.ingressContentType, ingress.content_type],
    ...ingress.rules.map((rule) => [PROXY_HEADERS.ingressRule, ruleText(rule)] as const),
  ];
  const forwarded = [...Object.entries(stored.headers), ...Object.entries(stored.secret_headers)];
  return rawLines([...own, ...forwarded.map(([name, value]) => [FORWARD_PREFIX + name, value] as const)]);
}

function rawLines(lines: readonly (readonly [name: string, value: string | undefined])[]): RawHeaders {
  return lines.flatMap(([name, value]) =>
    value === undefined ? [] : [name, Buffer.from(value, 'utf8').toString('latin1')],
  );
}

function ruleText({ token, target }: { token: string; target: string }): string {
  return `${token}=${target}`;
}

const MAY_BE_GIVEN: ReadonlySet<string> = new Set([PROXY_HEADERS.entity, PROXY_HEADERS.pathAndQuery]);
const KEPT: ReadonlySet<string> = new Set(READ_BY_PROXY.filter((name) => name.startsWith('x-fp-proxy-')));

/** Throws `invalid_request`, naming the first header that a call with a configuration must not have. */
export function requireOwnHeaders(rawHeaders: RawHeaders): void {
  for (const name of headerLines(rawHeaders).keys()) {
    if (!KEPT.has(name) || MAY_BE_GIVEN.has(name)) continue;
    throw headerRefusal(name, 'is part of the proxy configuration, and must not be sent with the call');
  }
}

/** The headers of a call with those of its configuration, which replace forwarded ones of the same name. */
export function withStored(rawHeaders: RawHeaders, stored: StoredRequest): RawHeaders {
  const kept = headersOf(stored);
  return [...without(rawHeaders, headerLines(kept)), ...kept];
}

/** The headers shown to the caller as forwarded or not forwarded, without the proxy's own from the configuration. */
export function notedHeaders(rawHeaders: RawHeaders): RawHeaders {
  return without(rawHeaders, KEPT);
}

function without(rawHeaders: RawHeaders, names: { has(name: string): boolean }): RawHeaders {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || names.has(name.toLowerCase()) ? [] : [name, rawHeaders[index + 1] ?? ''],
  );
}

function base64(pem: string): string {
  return Buffer.from(pem, 'utf8').toString('base64');
}
