/**
 * Converts a stored configuration to the equivalent headers (contract §3.4), so that a call with it uses the same code
 * as a call of jit.
 */
import type { IngressType } from '../../contract/facts/vault.ts';
import { FORWARD_PREFIX, READ_BY_PROXY, type HttpMethod } from '../../contract/facts/requests.ts';
import { headerLines, headerRefusal } from './header-lines.ts';
import { ACCESS_REASON_HEADER, ENTITY_HEADER, INGRESS_TYPE_HEADER, METHOD_HEADER } from './proxy-headers.ts';
import { INGRESS_RULE_HEADER } from './ingress-rules.ts';
import { CERTIFICATE_HEADER, KEY_HEADER, PIN_HEADER } from './pem-header.ts';
import { PATH_HEADER, TARGET_HEADER } from './proxy-target.ts';

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

/** Alternating names and values, as Node provides them for a request: one character for each byte. */
type RawHeaders = readonly string[];

/** The headers for an equivalent call of jit. */
export function headersOf(stored: StoredRequest): RawHeaders {
  const { client_identity: identity, ingress, pins } = stored;
  const lines: [name: string, value: string][] = [
    [TARGET_HEADER, stored.url],
    [METHOD_HEADER, stored.method],
    ...(stored.access_reason === ''
      ? []
      : [[ACCESS_REASON_HEADER, stored.access_reason] as [string, string]]),
    ...(identity
      ? ([
          [CERTIFICATE_HEADER, base64(identity.certificate)],
          [KEY_HEADER, base64(identity.key)],
        ] as [string, string][])
      : []),
    ...pins.map((pin): [string, string] => [PIN_HEADER, base64(pin)]),
    [INGRESS_TYPE_HEADER, ingress.content_type],
    ...ingress.rules.map((rule): [string, string] => [INGRESS_RULE_HEADER, ruleText(rule)]),
    ...[...Object.entries(stored.headers), ...Object.entries(stored.secret_headers)].map(
      ([name, value]): [string, string] => [FORWARD_PREFIX + name, value],
    ),
  ];
  return rawLines(lines);
}

export function rawLines(lines: readonly (readonly [name: string, value: string])[]): RawHeaders {
  return lines.flatMap(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]);
}

export function ruleText({ token, target }: { token: string; target: string }): string {
  return `${token}=${target}`;
}

const MAY_BE_GIVEN: ReadonlySet<string> = new Set([ENTITY_HEADER, PATH_HEADER]);
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
  const names = new Set([...headerLines(kept).keys()]);
  const given = rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || names.has(name.toLowerCase()) ? [] : [name, rawHeaders[index + 1] ?? ''],
  );
  return [...given, ...kept];
}

/** The headers shown to the caller as forwarded or not forwarded, without the proxy's own from the configuration. */
export function notedHeaders(rawHeaders: RawHeaders): RawHeaders {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || KEPT.has(name.toLowerCase()) ? [] : [name, rawHeaders[index + 1] ?? ''],
  );
}

function base64(pem: string): string {
  return Buffer.from(pem, 'utf8').toString('base64');
}
