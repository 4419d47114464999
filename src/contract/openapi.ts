/**
 * The registry as an OpenAPI 3.1 document (docs/architecture.md#the-layers): a pure function, so that the same call
 * serves the running instance with its own vocabulary, the docs page, the README and the snapshot that tests review.
 */
import { CONVENTIONS } from './assumptions.ts';
import { TOKEN_SCOPES_THAT, type TokenScope } from './client-tokens.ts';
import { JSON_BODY_LIMIT_BYTES, type Assumption, type Endpoint, type EndpointKey } from './endpoint.ts';
import { ERRORS, type ErrorCode, type ErrorEntry } from './errors.ts';
import { isFile, plain, type JsonSchema } from './json-schema.ts';
import {
  parametersOf,
  pathParameters,
  requestBody,
  type Content,
  type Parameter,
  type RequestBody,
} from './openapi-requests.ts';
import { endpoints as allEndpoints, splitKey } from './registry.ts';
import type { Settings } from './settings.ts';
import { ErrorBody } from './shapes.ts';

/** The words of the vocabulary that show in paths and headers (contract §0.13). */
export type WireWords = Pick<Settings['vocabulary'], 'secret_key_header' | 'partner_a' | 'partner_b'>;

export type KeyedEndpoint = Endpoint & { readonly key: EndpointKey };
interface Reference {
  readonly $ref: string;
}

export interface ErrorResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
  readonly 'x-error-codes': readonly ErrorCode[];
}

export interface SuccessResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly deprecated?: true;
  readonly security: readonly Readonly<Record<string, readonly never[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, SuccessResponse | Reference>>;
  readonly 'x-stability': Endpoint['stability'];
  readonly 'x-required-scope'?: string;
  readonly 'x-required-permission'?: string;
  readonly 'x-required-token-scopes'?: readonly TokenScope[];
  /** A refusal is an entry of the access log, under this operation. */
  readonly 'x-logs-refusal-as'?: string;
  readonly 'x-body-limit-bytes'?: number;
  readonly 'x-assumed'?: readonly Assumption[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ErrorResponse>>;
  };
  readonly 'x-errors': readonly (ErrorEntry & { readonly code: string })[];
  readonly 'x-assumed': readonly Assumption[];
}

export interface OpenApiOptions {
  readonly vocabulary: WireWords;
  readonly version: string;
  /** Where the instance listens, such as `http://127.0.0.1:4010`. */
  readonly baseUrl: string;
  /** The registry unless a test says otherwise. */
  readonly endpoints?: readonly KeyedEndpoint[];
}

/** A valid OpenAPI 3.1 document of every endpoint, with the words of this instance. */
export function openApiDocument(options: OpenApiOptions): OpenApiDocument {
  const { vocabulary, version, baseUrl, endpoints = allEndpoints } = options;
  const paths: Record<string, Record<string, Operation>> = {};
  const responses: Record<string, ErrorResponse> = {};
  for (const endpoint of endpoints) {
    const { method, path } = splitKey(endpoint.key);
    const operations = (paths[pathWithWords(path, vocabulary)] ??= {});
    operations[method.toLowerCase()] = operation(endpoint, responses);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'kyclone',
      version,
      summary: 'A local clone of an identity-verification and data-vault service',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: resourceTags(endpoints).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: securitySchemes(vocabulary.secret_key_header),
      headers: RESPONSE_HEADERS,
      schemas: { Error: plain(ErrorBody) },
      responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    'x-errors': Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry })),
    'x-assumed': CONVENTIONS,
  };
}

/**
 * A path template with the instance's own partner words in place of `{partner_a}` and `{partner_b}`, which are words
 * of the path and no parameters. Percent-encoded where a word needs it, and always well formed.
 */
export function pathWithWords(path: string, words: Pick<WireWords, 'partner_a' | 'partner_b'>): string {
  return path.replace(/\{(partner_a|partner_b)\}/g, (_, name: 'partner_a' | 'partner_b') =>
    encodeURIComponent(words[name].replace(/\p{Surrogate}/gu, '\uFFFD')),
  );
}

/** `POST /users/{fp_id}/vault/decrypt` is `postUsersByFpIdVaultDecrypt`: stable under any vocabulary. */
export function operationId(key: EndpointKey): string {
  const { method, path } = splitKey(key);
  const words = path
    .replace(/\{(partner_a|partner_b)\}/g, '$1')
    .replaceAll('{', 'by_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const EMULATOR = 'emulator';
/** Words of a path that say what is done with the noun before them. */
const VERBS = new Set(['search']);

/** The noun an endpoint is about: what stands after the entity in the path, else the first segment. */
function resourceTag(key: EndpointKey): string {
  const segments = splitKey(key)
    .path.split('/')
    .filter((segment) => segment !== '' && !segment.startsWith('{') && !VERBS.has(segment));
  const [first = '', second] = segments;
  if (first === '_kyclone') return EMULATOR;
  return ((first === 'users' || first === 'businesses') && second ? second : first).replaceAll('_', ' ');
}

/** In the order of the registry, the control plane last: its endpoints stand with the nouns they are about. */
function resourceTags(endpoints: readonly KeyedEndpoint[]): string[] {
  const nouns = new Set(endpoints.map(({ key }) => resourceTag(key)));
  return nouns.delete(EMULATOR) ? [...nouns, EMULATOR] : [...nouns];
}

function operation(endpoint: KeyedEndpoint, errorResponses: Record<string, ErrorResponse>): Operation {
  const { path } = splitKey(endpoint.key);
  const parameters = [
    ...pathParameters(path),
    ...parametersOf('query', endpoint.query),
    ...parametersOf('header', endpoint.headers),
  ];
  return {
    operationId: operationId(endpoint.key),
    summary: endpoint.summary,
    ...(isPathToken(endpoint) && { description: PATH_TOKEN_NOTE }),
    tags: [resourceTag(endpoint.key)],
    ...(endpoint.stability === 'deprecated' && { deprecated: true }),
    security: security(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint, endpoint.body, path) }),
    responses: {
      200: success(endpoint),
      ...failures(endpoint, errorResponses),
      ...(endpoint.answersAnyStatus && { default: success(endpoint) }),
    },
    'x-stability': endpoint.stability,
    ...requirements(endpoint),
    ...(endpoint.logsRefusalAs && { 'x-logs-refusal-as': endpoint.logsRefusalAs }),
    ...(endpoint.body && { 'x-body-limit-bytes': endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES }),
    ...(endpoint.assumed && endpoint.assumed.length > 0 && { 'x-assumed': endpoint.assumed }),
  };
}

function security({ auth }: Endpoint): Operation['security'] {
  switch (auth.kind) {
    case 'key':
      return [{ secretKeyBasic: [] }, { secretKeyHeader: [] }];
    case 'token':
      return auth.place === 'header' ? [{ clientToken: [] }] : [];
    case 'control':
      return [{ controlToken: [] }];
    case 'open':
      return [];
  }
}

/** OpenAPI knows no credential that is a part of the path: such a call has no scheme, and says so in words. */
const PATH_TOKEN_NOTE =
  'The client token in the path is the only credential: whoever has the link has the file.';

function isPathToken({ auth }: Endpoint): boolean {
  return auth.kind === 'token' && auth.place === 'path';
}

function requirements({
  auth,
}: Endpoint): Pick<Operation, 'x-required-scope' | 'x-required-permission' | 'x-required-token-scopes'> {
  if (auth.kind === 'token') {
    return auth.may ? { 'x-required-token-scopes': TOKEN_SCOPES_THAT[auth.may] } : {};
  }
  if (auth.kind !== 'key') return {};
  return {
    ...(auth.scope && { 'x-required-scope': auth.scope }),
    ...(auth.permission && { 'x-required-permission': auth.permission }),
  };
}

function securitySchemes(secretKeyHeader: string): OpenApiDocument['components']['securitySchemes'] {
  return {
    secretKeyBasic: {
      type: 'http',
      scheme: 'basic',
      description: 'User name: the secret API key. Password: empty.',
    },
    secretKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: secretKeyHeader,
      description: 'The secret API key, equal in effect to Basic.',
    },
    clientToken: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
      description: 'A client token: short-lived, for some identifiers of one entity.',
    },
    controlToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'The control token of the instance, for /_kyclone/ only.',
    },
  };
}

const RESPONSE_HEADERS: OpenApiDocument['components']['headers'] = {
  'x-request-id': {
    description: 'Names this request in the journal and the access log',
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{22}$' },
  },
  'cache-control': { description: 'Nothing is to be kept', schema: { const: 'no-store' } },
  'x-content-type-options': { description: 'The content type is final', schema: { const: 'nosniff' } },
  'x-fp-vault-version': {
    description: 'Version of the vault after the call, or the one that was read',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'content-disposition': {
    description: 'An attachment with its file name: the identifier, or the name of the snapshot',
    schema: { type: 'string' },
  },
  deprecation: {
    description: 'There is another endpoint for it',
    schema: { const: 'true' },
  },
  'x-kyclone-simulated': {
    description: 'The partner that is built in answered',
    schema: { const: 'true' },
  },
  'x-fp-proxy-upstream-status-code': {
    description: 'The status of the target, when it answered',
    schema: { type: 'string', pattern: '^[0-9]{3}$' },
  },
  'x-fp-proxy-ingress-skipped': {
    description: 'Numbers, from 1, of the ingress rules that stored nothing',
    schema: { type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
  },
  allow: { description: 'The methods of the path', schema: { type: 'string' } },
};

function headerReferences(...extra: string[]): Record<string, Reference> {
  const names = ['x-request-id', 'cache-control', 'x-content-type-options', ...extra];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Create, vault write, upload, delete, presence, decrypt and headless runs answer the version (contract §0.7, §10). */
const ANSWERS_VAULT_VERSION =
  /^(POST \/(users|businesses)|(GET|PATCH|DELETE) (\/[^\s/]+){1,2}\/vault|POST (\/[^\s/]+){1,2}\/vault\/(decrypt|[^\s/]+\/upload)|POST (\/[^\s/]+){1,2}\/(kyc|kyb))$/;

function success(endpoint: KeyedEndpoint): SuccessResponse {
  const schema = plain(endpoint.response);
  const isStream = endpoint.produces?.startsWith('text/event-stream') ?? false;
  const answersFile = isFile(schema) && !endpoint.takesAnyBody && !isStream;
  const headers = [
    ...(ANSWERS_VAULT_VERSION.test(endpoint.key) ? ['x-fp-vault-version'] : []),
    ...(answersFile ? ['content-disposition'] : []),
    ...(endpoint.stability === 'deprecated' ? ['deprecation'] : []),
    ...(endpoint.key.includes('{partner_b}') ? ['x-kyclone-simulated'] : []),
    ...(endpoint.answersAnyStatus ? ['x-fp-proxy-upstream-status-code', 'x-fp-proxy-ingress-skipped'] : []),
  ];
  return {
    description: answersFile ? FILE_ANSWER : (endpoint.answers ?? 'Success'),
    headers: headerReferences(...headers),
    content: { [endpoint.produces ?? 'application/json']: { schema } },
  };
}

/** A header content-type of an answer has no place in OpenAPI, so words say what it is (contract §2.6). */
const FILE_ANSWER =
  'The bytes, under the content type of the upload; a text as text/plain; charset=utf-8, any other value as application/json';

/** These two answer while the instance starts; `ready` says so with 503 and its own body (contract §11). */
const HEALTH: EndpointKey = 'GET /_kyclone/health';
const READY: EndpointKey = 'GET /_kyclone/ready';

/** Every code an endpoint may answer: its own, and those that apply everywhere (contract §0, §2). */
export function errorCodesOf(endpoint: KeyedEndpoint): ErrorCode[] {
  const { auth, body, key, logsRefusalAs, takesAnyBody, takesFile } = endpoint;
  const { method, path } = splitKey(key);
  const codes = new Set<ErrorCode>([
    ...endpoint.errors,
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
  if (auth.kind === 'key') {
    if (auth.scope) codes.add('scope_missing');
    // A body names identifiers, and each of them may be denied to the key.
    if (auth.permission ?? body) codes.add('permission_denied');
  }
  if (auth.kind === 'token') {
    codes.add('token_expired');
    if (auth.may) codes.add('permission_denied');
  }
  if (pathParameters(path).length > 0) codes.add('not_found');
  if (body && !takesFile && !takesAnyBody) codes.add('invalid_json');
  if (method !== 'GET') codes.add('payload_too_large').add('unsupported_media_type');
  // An answer that the access log tells of waits for its entry.
  if (method !== 'GET' || logsRefusalAs) codes.add('storage_full').add('store_missing');
  // Fault rules are for what stands outside the control plane.
  if (!path.startsWith('/_kyclone/')) codes.add('fault_injected');
  if (key !== HEALTH && key !== READY) {
    // Every other endpoint reads the store, and may find a page of it damaged.
    codes.add('not_ready').add('sealed').add('vault_damaged').add('storage_failed');
  }
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

function failures(
  endpoint: KeyedEndpoint,
  components: Record<string, ErrorResponse>,
): Record<string, Reference | SuccessResponse> {
  const responses: Record<string, Reference | SuccessResponse> = {};
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    const name = [status, ...codes].join('.');
    components[name] ??= errorResponse(status, codes);
    responses[status] = { $ref: `#/components/responses/${name}` };
  }
  if (endpoint.key === READY) {
    responses[503] = { ...success(endpoint), description: 'Not ready yet, with the reason' };
  }
  return responses;
}

function errorResponse(status: number, codes: ErrorCode[]): ErrorResponse {
  return {
    description: codes.map((code) => `${code}: ${ERRORS[code].meaning}`).join('; '),
    headers: headerReferences(...(status === 405 ? ['allow'] : [])),
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }],
        },
      },
    },
    'x-error-codes': codes,
  };
}
