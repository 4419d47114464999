/**
 * The registry as an OpenAPI 3.1 document (docs/architecture.md#the-layers): a pure function, used by the running
 * instance with its own vocabulary, the docs page, docs/reference.md and the snapshot in the tests.
 */
import { ACT_HEADERS } from '../nouns/access-log/endpoints.ts';
import { defined } from '../kernel/defined.ts';
import { ASSUMPTIONS } from './assumption-texts.ts';
import type { Assumption, Endpoint, KeyedEndpoint } from './endpoint.ts';
import { ERRORS, type ErrorEntry } from './errors.ts';
import { eventBodies } from '../nouns/webhooks/endpoints/event-bodies.ts';
import { TOKEN_SCOPES_THAT, type TokenScope } from '../nouns/client-tokens/facts.ts';
import { JSON_BODY_LIMIT_BYTES } from './facts/limits.ts';
import { HEADER_PREFIXES } from '../nouns/webhooks/facts.ts';
import { ComponentSchemas, type JsonSchema } from './json-schema.ts';
import {
  type Parameter,
  parametersOf,
  pathParameters,
  requestBody,
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
  inWordsOf,
  type WireWords,
  resourceTag,
  resourceTags,
  type Tag,
  CONVENTIONS,
} from './openapi-words.ts';
import { endpoints as allEndpoints, splitKey } from './registry.ts';

// The requests that the instance sends: an operation for each kind of event, to be implemented by receivers (contract
// §9).

interface WebhookOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly [];
  readonly parameters: readonly Parameter[];
  readonly requestBody: {
    readonly required: true;
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

type OpenApiWebhooks = Readonly<Record<string, { readonly post: WebhookOperation }>>;

/** By event kind, including its prefix. */
function webhooks(vocabulary: WireWords, components: ComponentSchemas): OpenApiWebhooks {
  const parameters = signatureHeaders(vocabulary.webhook_style);
  return Object.fromEntries(
    eventBodies(vocabulary.event_prefix).map(({ bare, kind, summary, body }) => [
      kind,
      {
        post: {
          operationId: operationIdOf(bare),
          tags: [WEBHOOKS_TAG.name] as const,
          summary,
          description: bare === 'onboarding.completed' ? ALWAYS_SENT : SENT_ON_REQUEST,
          security: [] as const,
          parameters,
          requestBody: {
            required: true as const,
            content: { 'application/json': { schema: components.refer(body) } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  );
}

const WEBHOOKS_TAG: Tag = {
  name: 'webhooks',
  description: 'Events, each as a signed request to every webhook subscribed to its kind',
};

const ALWAYS_SENT = 'Sent to every enabled webhook subscribed to this kind.';
const SENT_ON_REQUEST =
  'Sent to every enabled webhook subscribed to this kind, once the setting `events.extended` is true.';

const RESPONSES: WebhookOperation['responses'] = {
  '2XX': { description: 'Received. Only the status of the response matters' },
  default: {
    description:
      'Not received: the delivery is retried. The same applies to a redirect, and to no response within 15 seconds',
  },
};

/** `user.bank_link_updated` is `receiveUserBankLinkUpdated`. */
function operationIdOf(kind: string): string {
  const words = kind.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `receive${words.join('')}`;
}

function signatureHeaders(style: WireWords['webhook_style']): Parameter[] {
  const prefix = HEADER_PREFIXES[style];
  return [
    {
      name: `${prefix}-id`,
      in: 'header',
      required: true,
      description: 'Id of the event, the same in every attempt, so that a receiver can recognise repeats',
      schema: { type: 'string', pattern: '^evt_[0-9A-Za-z]{22}$' },
    },
    {
      name: `${prefix}-timestamp`,
      in: 'header',
      required: true,
      description: 'Unix seconds of this attempt',
      schema: { type: 'string', pattern: '^-?[0-9]+$' },
    },
    {
      name: `${prefix}-signature`,
      in: 'header',
      required: true,
      description:
        `v1, and the base64 of HMAC-SHA256 over {${prefix}-id}.{${prefix}-timestamp}.{body}, the body as its raw bytes, ` +
        'under the bytes whose base64 follows whsec_ in the secret; for 24 hours after a rotation two signatures with ' +
        'a blank between',
      schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
    },
  ];
}

// The credential of a call, and the scopes that it needs (contract §0.2, §0.3).

/** Alternatives, each with the scopes that it needs. */
type OpenApiSecurity = readonly Readonly<Record<string, readonly string[]>>[];

interface SecurityScheme {
  readonly type: 'http' | 'apiKey';
  readonly scheme?: 'basic' | 'bearer';
  readonly in?: 'header';
  readonly name?: string;
  /** The title, since the name of a scheme can't have blanks. */
  readonly 'x-displayName': string;
  readonly description: string;
}

type SecuritySchemes = Readonly<
  Record<'secretKeyBasic' | 'secretKeyHeader' | 'clientToken' | 'flowToken' | 'controlToken', SecurityScheme>
>;

interface Requirements {
  readonly 'x-required-scope'?: string;
  readonly 'x-required-permission'?: string;
  readonly 'x-required-token-scopes'?: readonly TokenScope[];
}

function security({ auth }: Endpoint): OpenApiSecurity {
  switch (auth.kind) {
    case 'key': {
      const scopes = auth.scope ? [auth.scope] : [];
      return [{ secretKeyBasic: scopes }, { secretKeyHeader: scopes }];
    }
    case 'token':
      return auth.place === 'header' ? [{ clientToken: [] }] : [];
    case 'flow':
      return [{ flowToken: [] }];
    case 'control':
      return [{ controlToken: [] }];
    case 'open':
      return [];
  }
}

/** OpenAPI can't describe a credential in the path: such a call has no scheme, and a note instead. */
const PATH_TOKEN_NOTE = 'The client token in the path is the only credential: the link alone opens the file.';

function requirements({ auth }: Endpoint): Requirements {
  if (auth.kind === 'token') {
    return auth.may ? { 'x-required-token-scopes': TOKEN_SCOPES_THAT[auth.may] } : {};
  }
  if (auth.kind !== 'key') return {};
  return defined({ 'x-required-scope': auth.scope, 'x-required-permission': auth.permission });
}

function securitySchemes(secretKeyHeader: string): SecuritySchemes {
  return {
    secretKeyBasic: {
      type: 'http',
      scheme: 'basic',
      'x-displayName': 'Secret API Key',
      description: 'User name: the secret API key. Password: empty.',
    },
    secretKeyHeader: {
      type: 'apiKey',
      in: 'header',
      name: secretKeyHeader,
      'x-displayName': 'Secret API Key',
      description: 'The secret API key, equal in effect to Basic.',
    },
    clientToken: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
      'x-displayName': 'Client Token',
      description: 'A client token: short-lived, for some identifiers of one entity.',
    },
    flowToken: {
      type: 'apiKey',
      in: 'header',
      name: 'x-fp-authorization',
      'x-displayName': 'Token of a Hosted Flow',
      description: "The token at the end of a hosted flow's link, which its page sends.",
    },
    controlToken: {
      type: 'http',
      scheme: 'bearer',
      'x-displayName': 'Control Token',
      description: 'The control token of the instance, for /_kyclone/ only.',
    },
  };
}

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
  const headers = [
    ...parametersOf('header', endpoint.headers, components),
    ...parametersOf('header', endpoint.isAct && ACT_HEADERS, components),
  ];
  const parameters = [
    ...pathParameters(path),
    ...parametersOf('query', endpoint.query, components),
    ...headers.filter(({ name }) => !isPattern(name)),
  ];
  const notes = [
    ...(endpoint.auth.kind === 'token' && endpoint.auth.place === 'path' ? [PATH_TOKEN_NOTE] : []),
    ...headers
      .filter(({ name }) => isPattern(name))
      .map(({ name, description = '' }) => `Any header \`${name}\`: ${description}.`),
  ];
  const { body, assumed = [] } = endpoint;
  return defined({
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: notes.length > 0 ? notes.join(' ') : undefined,
    tags: [resourceTag(endpoint.key)],
    deprecated: endpoint.stability === 'deprecated' ? true : undefined,
    security: security(endpoint),
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && requestBody(endpoint, { body, path, components }),
    responses: defined({
      200: success(endpoint, components),
      ...failures(endpoint, responses, components),
      default: endpoint.answersAnyStatus ? success(endpoint, components) : undefined,
    }),
    'x-stability': endpoint.stability,
    ...requirements(endpoint),
    'x-logs-refusal-as': endpoint.logsRefusalAs,
    'x-body-limit-bytes': body && (endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES),
    'x-assumed': assumed.length > 0 ? assumed : undefined,
  });
}

/** A name with a part that the caller chooses, which can't be an OpenAPI parameter. */
function isPattern(name: string): boolean {
  return name.includes('<');
}
