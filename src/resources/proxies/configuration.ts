/** The forms of a proxy configuration: request, stored and shown (contract §3.4). Pure. */
import { SECRET_SHOWN } from '../../contract/facts/credentials.ts';
import { type ProxyConfiguration } from '../../contract/proxies.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/redaction.ts';
import { describeCertificate, type StoredRequest } from '../vault-proxy/index.ts';
import { defined } from '../../kernel/defined.ts';

export interface Configuration extends StoredRequest {
  readonly name: string;
}

type New = RequestOf<'POST /_kyclone/proxies'>['body'];
type Change = RequestOf<'PATCH /_kyclone/proxies/{id}'>['body'];

export function newConfiguration(body: New): Configuration {
  const { url, client_identity } = body;
  return {
    name: body.name ?? hostOf(url),
    url,
    method: body.method ?? 'POST',
    access_reason: body.access_reason ?? '',
    headers: body.headers ?? {},
    secret_headers: newSecrets(body.secret_headers ?? {}, {}),
    ...defined({ client_identity }),
    pins: body.pins ?? [],
    ingress: ingressOf(body.ingress),
  };
}

/**
 * Given members replace the stored ones. The stored secrets are meant for one origin, so a change to another removes
 * those that the same change doesn't give.
 */
export function changedConfiguration(before: Configuration, body: Change): Configuration {
  const { name, url, method, access_reason, headers, secret_headers: secrets, pins, ingress } = body;
  const isElsewhere = url !== undefined && originOf(url) !== originOf(before.url);
  const kept = isElsewhere ? { secret_headers: {}, client_identity: undefined } : before;
  const { client_identity: identity = kept.client_identity } = body;
  return {
    name: name ?? before.name,
    url: url ?? before.url,
    method: method ?? before.method,
    access_reason: access_reason ?? before.access_reason,
    headers: headers ?? before.headers,
    secret_headers: secrets ? newSecrets(secrets, kept.secret_headers) : kept.secret_headers,
    ...(identity && { client_identity: identity }),
    pins: pins ?? before.pins,
    ingress: ingress ? ingressOf(ingress) : before.ingress,
  };
}

/** Everything but its secrets; the certificate by subject and expiry. */
export function shownConfiguration(
  configuration: Configuration,
): Omit<ProxyConfiguration, 'id' | 'tenant' | 'environment' | 'enabled' | 'created_at'> {
  const { client_identity: identity, secret_headers, headers, pins, ingress, ...plain } = configuration;
  const certificate = identity && describeCertificate(identity.certificate);
  return {
    ...plain,
    headers: { ...headers },
    secret_headers: Object.fromEntries(
      Object.keys(secret_headers).map((name) => [name, SECRET_SHOWN] as const),
    ),
    ...(certificate && {
      client_identity: { subject: certificate.subject, expires_at: certificate.validTo.toISOString() },
    }),
    pins: [...pins],
    ingress: { content_type: ingress.content_type, rules: ingress.rules.map((rule) => ({ ...rule })) },
  };
}

/** The placeholder keeps a stored secret; throws `invalid_request` when none is stored. */
function newSecrets(
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== SECRET_SHOWN) return [name, value];
      const kept = known.get(name.toLowerCase());
      if (kept !== undefined) return [name, kept];
      throw new ServiceError(
        'invalid_request',
        `secret_headers.${withoutCredentials(name)} is ${SECRET_SHOWN}, which stands for a stored value; none is stored for the origin of url: send the value`,
      );
    }),
  );
}

function ingressOf(given: New['ingress']): Configuration['ingress'] {
  return { content_type: given?.content_type ?? 'json', rules: given?.rules ?? [] };
}

/** Undefined for a text that is no URL, which is refused later. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
