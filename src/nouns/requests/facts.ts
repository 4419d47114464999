/** Methods, headers and paths that several modules need (contract §0.1–§0.10, §3.3). */

/** Methods that fault rules match, and that the vault proxy can send. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];
export const ENDPOINT_METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
export type Method = (typeof ENDPOINT_METHODS)[number];
export type MethodAndPath = `${Method} /${string}`;

/** The prefix of the control plane, which has a credential of its own (contract §11). */
export const CONTROL_PREFIX = '/_kyclone/';

/** Paths without a credential: some of the control plane, and the pages of hosted flows. */
export const OPEN_PATHS: readonly string[] = [
  ...['health', 'ready', 'openapi.json', 'docs', 'form', 'form.js'].map((name) => CONTROL_PREFIX + name),
  ...['console', 'console/app.js', 'console/app.css'].map((name) => CONTROL_PREFIX + name),
  ...['onboarding', 'bank_link', 'vault', 'flow.js', 'browser.js', 'browser/session'].map(
    (name) => `/hosted/${name}`,
  ),
];

/** Paths below it end with a client token, which is their credential (contract §2.7). */
export const DOWNLOAD_PREFIX = '/users/vault/decrypt/';

/** Headers about what a request creates, writes or reads. */
export const HEADERS = {
  externalId: 'x-external-id',
  idempotencyId: 'x-idempotency-id',
  sandboxId: 'x-sandbox-id',
  ignoreLuhn: 'x-fp-ignore-luhn-validation',
  vaultVersion: 'x-fp-vault-version',
  requestId: 'x-request-id',
} as const;

/** The headers that the proxy reads (contract §3.3). */
export const PROXY_HEADERS = {
  targetUrl: 'x-fp-proxy-target-url',
  pathAndQuery: 'x-fp-path-and-query',
  method: 'x-fp-proxy-method',
  entity: 'x-fp-id',
  accessReason: 'x-fp-proxy-access-reason',
  clientCertificate: 'x-fp-proxy-client-cert',
  clientKey: 'x-fp-proxy-client-key',
  pins: 'x-fp-proxy-pin-cert',
  ingressContentType: 'x-fp-proxy-ingress-content-type',
  ingressRule: 'x-fp-proxy-ingress-rule',
} as const;
/** The reason header of the vault's own endpoints, which the proxy reads, too. */
export const REASON_HEADER = 'x-fp-access-reason';
/**
 * Request headers with this prefix are sent to the target without it; response headers with it come from the target.
 */
export const FORWARD_PREFIX = 'x-fp-proxy-fwd-';
/** The target's status in a response of the proxy. */
export const UPSTREAM_STATUS_HEADER = 'x-fp-proxy-upstream-status-code';
export const INGRESS_SKIPPED_HEADER = 'x-fp-proxy-ingress-skipped';

/** The names of all headers that the proxy reads, except forwarded ones. */
export const READ_BY_PROXY: readonly string[] = [...Object.values(PROXY_HEADERS), REASON_HEADER];

/** Loopback hosts in the form of URLs and the Host header (contract §0.1). */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Matches JSON content types at the beginning of the header. */
export const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/;
/** The characters of a header name in HTTP. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Marks a response of partner B as simulated (contract §8.2). */
export const SIMULATED_HEADER = 'x-kyclone-simulated';
