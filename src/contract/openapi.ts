/**
 * The registry as an OpenAPI 3.1 document (docs/architecture.md#the-layers): a pure function, used by the running
 * instance with its own vocabulary, the docs page, docs/reference.md and the snapshot in the tests.
 */
import { JSON_BODY_LIMIT_BYTES } from './facts/limits.ts';
import { ASSUMPTIONS } from './assumption-texts.ts';
import { CONVENTIONS } from './assumptions.ts';
import { type Assumption, type Endpoint, type KeyedEndpoint } from './endpoint.ts';
import { ERRORS, type ErrorEntry } from './errors.ts';
import { ComponentSchemas, type JsonSchema } from './json-schema.ts';
import {
  parametersOf,
  pathParameters,
  requestBody,
  type Parameter,
  type RequestBody,
} from './openapi-requests.ts';
import {
  failures,
  RESPONSE_HEADERS,
  success,
  type ErrorResponse,
  type OpenApiReference,
  type ResponseHeaders,
  type SuccessResponse,
} from './openapi-responses.ts';
import {
  isPathToken,
  PATH_TOKEN_NOTE,
  requirements,
  security,
  securitySchemes,
  type Requirements,
  type OpenApiSecurity,
  type SecuritySchemes,
} from './openapi-security.ts';
import { resourceTag, resourceTags, type Tag } from './openapi-tags.ts';
import { webhooks, WEBHOOKS_TAG, type OpenApiWebhooks } from './openapi-webhooks.ts';
import { inWordsOf, type WireWords } from './openapi-words.ts';
import { endpoints as allEndpoints, splitKey } from './registry.ts';

export interface Operation extends Requirements {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly deprecated?: true;
  readonly security: OpenApiSecurity;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, SuccessResponse | OpenApiReference>>;
  readonly 'x-stability': Endpoint['stability'];
  /** A refusal is recorded in the access log under this operation. */
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
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: OpenApiWebhooks;
  readonly components: {
    readonly securitySchemes: SecuritySchemes;
    readonly headers: ResponseHeaders;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ErrorResponse>>;
  };
  readonly 'x-errors': readonly (ErrorEntry & { readonly code: string })[];
  readonly 'x-assumed': readonly Assumption[];
  /** The texts of the numbers in `x-assumed`. */
  readonly 'x-assumptions': Readonly<Record<string, string>>;
}

export interface OpenApiOptions {
  readonly vocabulary: WireWords;
  readonly version: string;
  /** The address of the instance, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** The registry, except in tests. */
  readonly endpoints?: readonly KeyedEndpoint[];
}

/** A valid OpenAPI 3.1 document of every endpoint, with the words of this instance. */
export function openApiDocument(options: OpenApiOptions): OpenApiDocument {
  const { vocabulary, version, baseUrl, endpoints = allEndpoints } = options;
  const paths: Record<string, Record<string, Operation>> = {};
  const shared: Shared = { responses: {}, components: new ComponentSchemas(inWordsOf(vocabulary)) };
  for (const endpoint of endpoints) {
    const { method, path } = splitKey(endpoint.key);
    const operations = (paths[pathWithWords(path, vocabulary)] ??= {});
    operations[method.toLowerCase()] = operation(endpoint, shared);
  }
  const sent = webhooks(vocabulary, shared.components);
  return {
    openapi: '3.1.1',
    info: {
      title: 'kyclone',
      version,
      summary: 'A local clone of an identity-verification and data-vault service',
      description: CONVENTIONS_OF_BODIES,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: [...resourceTags(endpoints), WEBHOOKS_TAG],
    paths,
    webhooks: sent,
    components: {
      securitySchemes: securitySchemes(vocabulary.secret_key_header),
      headers: RESPONSE_HEADERS,
      schemas: shared.components.all,
      responses: Object.fromEntries(Object.entries(shared.responses).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
    'x-errors': Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry })),
    'x-assumed': CONVENTIONS,
    'x-assumptions': ASSUMPTIONS,
  };
}

/** Parts that operations share, collected while they are built. */
interface Shared {
  readonly responses: Record<string, ErrorResponse>;
  readonly components: ComponentSchemas;
}

const CONVENTIONS_OF_BODIES =
  'Bodies are JSON unless stated. An optional member of a body that is null counts as absent, as does an empty ' +
  'query parameter. Members that a body of fixed shape does not name are ignored, but refused under /_kyclone/.';

/**
 * A path template with the instance's partner words in place of `{partner_a}` and `{partner_b}`, which are not path
 * parameters. Percent-encoded where necessary, and always well-formed.
 */
export function pathWithWords(path: string, words: Pick<WireWords, 'partner_a' | 'partner_b'>): string {
  return path.replace(/\{(partner_a|partner_b)\}/g, (_, name: 'partner_a' | 'partner_b') =>
    encodeURIComponent(words[name].replace(/\p{Surrogate}/gu, '\uFFFD')),
  );
}

function operation(endpoint: KeyedEndpoint, { responses, components }: Shared): Operation {
  const { path } = splitKey(endpoint.key);
  const headers = parametersOf('header', endpoint.headers, components);
  const parameters = [
    ...pathParameters(path),
    ...parametersOf('query', endpoint.query, components),
    ...headers.filter(({ name }) => !isPattern(name)),
  ];
  const notes = [
    ...(isPathToken(endpoint) ? [PATH_TOKEN_NOTE] : []),
    ...headers
      .filter(({ name }) => isPattern(name))
      .map(({ name, description = '' }) => `Any header \`${name}\`: ${description}.`),
  ];
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    ...(notes.length > 0 && { description: notes.join(' ') }),
    tags: [resourceTag(endpoint.key)],
    ...(endpoint.stability === 'deprecated' && { deprecated: true }),
    security: security(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && { requestBody: requestBody(endpoint, { body: endpoint.body, path, components }) }),
    responses: {
      200: success(endpoint, components),
      ...failures(endpoint, responses, components),
      ...(endpoint.answersAnyStatus && { default: success(endpoint, components) }),
    },
    'x-stability': endpoint.stability,
    ...requirements(endpoint),
    ...(endpoint.logsRefusalAs && { 'x-logs-refusal-as': endpoint.logsRefusalAs }),
    ...(endpoint.body && { 'x-body-limit-bytes': endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES }),
    ...(endpoint.assumed && endpoint.assumed.length > 0 && { 'x-assumed': endpoint.assumed }),
  };
}

/** A name with a part that the caller chooses, which can't be an OpenAPI parameter. */
function isPattern(name: string): boolean {
  return name.includes('<');
}
