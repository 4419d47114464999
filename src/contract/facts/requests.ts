/** Methods, headers and paths of requests that more than one place must know (contract §0.1–§0.10, §3.3). */

/** What fault rules match and targets of the vault proxy are called with. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];
/** The methods of endpoints. */
export const ENDPOINT_METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
export type Method = (typeof ENDPOINT_METHODS)[number];
export type MethodAndPath = `${Method} /${string}`;

/** Below it is the control plane, with a credential of its own (contract §11). */
export const CONTROL_PREFIX = '/_kyclone/';

/** Paths that ask for no credential: those of the control plane, and the pages of hosted flows. */
export const OPEN_PATHS: readonly string[] = [
  ...['health', 'ready', 'openapi.json', 'docs', 'form', 'form.js'].map((name) => CONTROL_PREFIX + name),
  ...['onboarding', 'bank_link', 'vault', 'flow.js'].map((name) => `/hosted/${name}`),
];

/** A path below it ends with a client token, which is its credential (contract §2.7). */
export const DOWNLOAD_PREFIX = '/users/vault/decrypt/';

/** What a request may say of what it creates, writes or reads. */
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
/** A reason as the vault's own endpoints take it, which the proxy reads too. */
export const REASON_HEADER = 'x-fp-access-reason';
/** A header that begins so goes to the target under the rest of its name; one of an answer came from it. */
export const FORWARD_PREFIX = 'x-fp-proxy-fwd-';
/** What an answer of the proxy says of the target's. */
export const UPSTREAM_STATUS_HEADER = 'x-fp-proxy-upstream-status-code';
export const INGRESS_SKIPPED_HEADER = 'x-fp-proxy-ingress-skipped';

/** All that the proxy reads but those it forwards, by their names. */
export const READ_BY_PROXY: readonly string[] = [...Object.values(PROXY_HEADERS), REASON_HEADER];

/** How a host on loopback is written in a URL and in the Host header (contract §0.1). */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The content types that hold JSON, at the beginning of the header. */
export const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/;
/** What HTTP allows in the name of a header. */
export const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Says that an answer of partner B was made up here (contract §8.2). */
export const SIMULATED_HEADER = 'x-kyclone-simulated';
