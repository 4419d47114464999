/** The responses of an operation in the document: success, failures by status, and their headers. */
import { SIMULATED_HEADER } from '../nouns/requests/facts.ts';
import type { MethodAndPath } from '../nouns/requests/facts.ts';
import type { KeyedEndpoint } from './endpoint.ts';
import { ERRORS, type ErrorCode } from './errors.ts';
import { isFile, type ComponentSchemas, type JsonSchema } from './json-schema.ts';
import { pathParameters, type Content } from './openapi-requests.ts';
import { splitKey } from './registry.ts';
import { ErrorBody } from './shapes.ts';

export interface OpenApiReference {
  readonly $ref: string;
}

export interface SuccessResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, OpenApiReference>>;
  readonly content: Content;
}

export interface ErrorResponse extends SuccessResponse {
  readonly 'x-error-codes': readonly ErrorCode[];
}

export type ResponseHeaders = Readonly<
  Record<string, { readonly description: string; readonly schema: JsonSchema }>
>;

export const RESPONSE_HEADERS: ResponseHeaders = {
  'x-request-id': {
    description: 'Names this request in the journal and the access log',
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{22}$' },
  },
  'cache-control': { description: 'The response must not be cached', schema: { const: 'no-store' } },
  'x-content-type-options': {
    description: 'The content type must not be guessed',
    schema: { const: 'nosniff' },
  },
  'x-fp-vault-version': {
    description: 'Version of the vault after the call, or the one that was read',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'content-disposition': {
    description: 'An attachment with its file name: the identifier, or the name of the snapshot',
    schema: { type: 'string' },
  },
  deprecation: { description: 'There is another endpoint for it', schema: { const: 'true' } },
  [SIMULATED_HEADER]: { description: 'The built-in partner sent this response', schema: { const: 'true' } },
  'x-fp-proxy-upstream-status-code': {
    description: 'The status of the target, if it responded',
    schema: { type: 'string', pattern: '^[0-9]{3}$' },
  },
  'x-fp-proxy-ingress-skipped': {
    description: 'Numbers, from 1, of the ingress rules that stored nothing',
    schema: { type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
  },
  allow: { description: 'The methods of the path', schema: { type: 'string' } },
};

function headerReferences(...extra: string[]): Record<string, OpenApiReference> {
  const names = ['x-request-id', 'cache-control', 'x-content-type-options', ...extra];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Create, vault write, upload, delete, presence, decrypt and headless runs return the version (contract §0.7, §10). */
const ANSWERS_VAULT_VERSION =
  /^(POST \/(users|businesses)|(GET|PATCH|DELETE) (?!\/hosted\/)(\/[^\s/]+){1,2}\/vault|POST (\/[^\s/]+){1,2}\/vault\/(decrypt|[^\s/]+\/upload)|POST (\/[^\s/]+){1,2}\/(kyc|kyb|reonboard))$/;

export function success(endpoint: KeyedEndpoint, components: ComponentSchemas): SuccessResponse {
  const schema = components.refer(endpoint.response);
  const isStream = endpoint.produces?.startsWith('text/event-stream') ?? false;
  const answersFile = isFile(schema) && !endpoint.takesAnyBody && !isStream;
  const headers = [
    ...(ANSWERS_VAULT_VERSION.test(endpoint.key) ? ['x-fp-vault-version'] : []),
    ...(answersFile ? ['content-disposition'] : []),
    ...(endpoint.stability === 'deprecated' ? ['deprecation'] : []),
    ...(endpoint.key.includes('{partner_b}') ? [SIMULATED_HEADER] : []),
    ...(endpoint.answersAnyStatus ? ['x-fp-proxy-upstream-status-code', 'x-fp-proxy-ingress-skipped'] : []),
  ];
  return {
    description: answersFile ? FILE_ANSWER : (endpoint.answers ?? 'Success'),
    headers: headerReferences(...headers),
    content: {
      [endpoint.produces ?? 'application/json']: { schema },
      // A generated client would otherwise type the JSON of a target as a file.
      ...(endpoint.produces === '*/*' && { 'application/json': { schema: {} } }),
    },
  };
}

/** OpenAPI can't describe the content-type header of a response, so the description does (contract §2.6). */
const FILE_ANSWER =
  'The bytes, under the content type of the upload; a text as text/plain; charset=utf-8, any other value as application/json';

/** These two are served while the instance starts; `ready` reports that by 503 and its own body (contract §11). */
const HEALTH: MethodAndPath = 'GET /_kyclone/health';
const READY: MethodAndPath = 'GET /_kyclone/ready';

/** Every code of an endpoint: its own, and those of all endpoints (contract §0, §2). */
export function errorCodesOf(endpoint: KeyedEndpoint): ErrorCode[] {
  const { auth, body, key, logsAccess, logsRefusalAs, takesAnyBody, takesFile } = endpoint;
  const { method, path } = splitKey(key);
  const codes = new Set<ErrorCode>([
    ...(endpoint.errors ?? []),
    'invalid_request',
    'origin_refused',
    'method_not_allowed',
    'misdirected_request',
    'headers_too_large',
    'request_timeout',
    'overloaded',
    'internal_error',
  ]);
  if (auth.kind !== 'open') codes.add('unauthenticated');
  if (auth.kind === 'key' && auth.scope) codes.add('scope_missing');
  // The body of a key's call may name identifiers that are denied to it. A console session makes any of these calls.
  if (auth.kind === 'key' || auth.kind === 'control') codes.add('permission_denied');
  if (endpoint.isAct) codes.add('conflict');
  if (auth.kind === 'flow') codes.add('token_expired').add('conflict').add('permission_denied');
  if (auth.kind === 'token') codes.add('token_expired');
  if (pathParameters(path).length > 0) codes.add('not_found');
  if (body && !takesFile && !takesAnyBody) codes.add('invalid_json');
  if (method !== 'GET') codes.add('payload_too_large').add('unsupported_media_type');
  // A call in the access log needs to write its entry.
  if (method !== 'GET' || logsRefusalAs || logsAccess) codes.add('storage_full').add('store_missing');
  // Fault rules only apply outside the control plane.
  if (!path.startsWith('/_kyclone/')) codes.add('fault_injected');
  if (key !== HEALTH && key !== READY) {
    // Every other endpoint reads the store, and may find a damaged page.
    codes.add('not_ready').add('sealed').add('vault_damaged').add('storage_failed');
  }
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The failures of an endpoint by status; adds each to `shared` once. */
export function failures(
  endpoint: KeyedEndpoint,
  shared: Record<string, ErrorResponse>,
  components: ComponentSchemas,
): Record<string, OpenApiReference | SuccessResponse> {
  const responses: Record<string, OpenApiReference | SuccessResponse> = {};
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    // Generators make the name of a type of it, so it begins with a letter.
    const name = [`Error${status}`, ...codes].join('.');
    shared[name] ??= errorResponse({ status, codes }, components);
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (endpoint.key === READY) {
    responses[503] = { ...success(endpoint, components), description: 'Not ready yet, with the reason' };
  }
  return responses;
}

function errorResponse(
  { status, codes }: { status: number; codes: ErrorCode[] },
  components: ComponentSchemas,
): ErrorResponse {
  return {
    description: codes.map((code) => `${code}: ${ERRORS[code].meaning}`).join('; '),
    headers: headerReferences(...(status === 405 ? ['allow'] : [])),
    content: {
      'application/json': {
        schema: {
          allOf: [
            components.refer(ErrorBody),
            { type: 'object', properties: { code: { type: 'string', enum: codes } } },
          ],
        },
      },
    },
    'x-error-codes': codes,
  };
}
