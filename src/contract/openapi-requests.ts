/** The request of an operation in the OpenAPI document: path, query and header parameters, and the body. */
import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from './endpoint.ts';
import type { ComponentSchemas, JsonSchema } from './json-schema.ts';

/** Examples for optional members that should be shown, and for texts with a special pattern. All made up. */
const MEMBER_EXAMPLES: Readonly<Record<string, unknown>> = {
  decrypt_reason: 'Shown to the customer',
  device_id: 'device-42',
  enabled: false,
  events: { extended: true },
  external_id: 'customer-42',
  hard: false,
  latency_ms: 2_000,
  name: 'continuous integration',
  passphrase: 'a long and invented passphrase',
  reason: 'Called support about an address change',
  scope: 'vault_and_decrypt',
  search: 'jane@example.com',
  signing_key: '00112233445566778899aabbccddeeff',
  tag: 'vip',
};
const USER_DATA = { 'id.first_name': 'Jane', 'id.last_name': 'Doe' };
const BUSINESS_DATA = { 'business.name': 'Acme Incorporated' };

/** An example JSON body that fits the endpoint's schema, for the document and curl; undefined when it takes no body. */
function exampleBody(endpoint: Endpoint, path: string): unknown {
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody) return undefined;
  const vaultData = path.startsWith('/businesses') ? BUSINESS_DATA : USER_DATA;
  return example(endpoint.body, '', vaultData);
}

function example(schema: TSchema, name: string, vaultData: Readonly<Record<string, string>>): unknown {
  const { examples, enum: words, anyOf, properties, required, type } = schema as SchemaKeywords;
  if (examples) return examples[0];
  if ('const' in schema) return schema['const'];
  if (Object.hasOwn(MEMBER_EXAMPLES, name)) return MEMBER_EXAMPLES[name];
  if (words) return words[0];
  if (anyOf?.[0]) return example(anyOf[0], name, vaultData);
  if (name === 'fields') return Object.keys(vaultData);
  if (properties) {
    const shown = Object.entries(properties).filter(
      ([member]) =>
        required?.includes(member) || Object.hasOwn(MEMBER_EXAMPLES, member) || member === 'fields',
    );
    return Object.fromEntries(
      shown.map(([member, value]) => [member, example(value, member, vaultData)] as const),
    );
  }
  if (type === 'object') return vaultData;
  if (type === 'array') return [];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return 'text';
}

interface SchemaKeywords {
  examples?: unknown[];
  enum?: unknown[];
  anyOf?: TSchema[];
  properties?: Record<string, TSchema>;
  required?: string[];
  type?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly example?: string;
  readonly schema: JsonSchema;
}

export interface Content {
  readonly [mediaType: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}

export interface RequestBody {
  readonly required: boolean;
  readonly description?: string;
  readonly content: Content;
}

const PATH_PARAMETERS: Readonly<Record<string, Pick<Parameter, 'description' | 'example' | 'schema'>>> = {
  fp_id: { description: 'Id of the entity', schema: { type: 'string', pattern: '^fp_[A-Za-z0-9_]+$' } },
  fp_bid: {
    description: 'Id of the business',
    schema: { type: 'string', pattern: '^fp_bid_[A-Za-z0-9_]+$' },
  },
  identifier: {
    description: 'Data identifier the file is stored under',
    example: 'document.id_card.front.image',
    schema: { type: 'string', minLength: 1 },
  },
  token: {
    description: 'A client token of scope decrypt_download, the only credential of the call',
    schema: { type: 'string', pattern: '^cttok_[0-9A-Za-z]{34}$' },
  },
  tag_id: { description: 'Id of the tag', schema: { type: 'string', pattern: '^tag_[0-9A-Za-z]{22}$' } },
};
/** A business has no identity card, but files of any kind under custom names. */
const BUSINESS_FILE = 'document.custom.articles_of_incorporation';

export function pathParameters(path: string): Parameter[] {
  return Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name)
    .filter((name) => name !== 'partner_a' && name !== 'partner_b')
    .map((name) => ({
      name,
      in: 'path',
      required: true,
      ...(PATH_PARAMETERS[name] ?? { schema: { type: 'string', minLength: 1 } }),
      ...(name === 'identifier' && path.startsWith('/businesses') && { example: BUSINESS_FILE }),
    }));
}

/** Converts the schema of a query or of headers to parameters. */
export function parametersOf(
  place: 'query' | 'header',
  schema: TSchema | undefined,
  components: ComponentSchemas,
): Parameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = components.refer(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(examples) && { example: String(examples[0]) }),
    schema: rest,
  }));
}

export function requestBody(
  endpoint: Endpoint,
  { body, path, components }: { body: TSchema; path: string; components: ComponentSchemas },
): RequestBody {
  if (endpoint.takesFile) return fileBody();
  if (endpoint.takesAnyBody) return anyBody(components.refer(body));
  return {
    required: endpoint.bodyOptional !== true,
    content: { 'application/json': { schema: components.refer(body), example: exampleBody(endpoint, path) } },
  };
}

const BYTES: JsonSchema = { type: 'string', format: 'binary' };

/** A template: text with tokens, of any content type. The example is JSON. */
function anyBody(schema: JsonSchema): RequestBody {
  return {
    required: false,
    description: 'Text or bytes of any content type, with tokens where vaulted data goes',
    content: {
      'application/json': {
        schema: {},
        example: { customer: 'FP_ID', email: '{{ FP_ID.id.email | to_lowercase }}' },
      },
      '*/*': { schema },
    },
  };
}

/** Bytes have no JSON example. An empty file is refused, so the body is always required (contract §2.7). */
function fileBody(): RequestBody {
  return {
    required: true,
    description:
      'The bytes with any content type, which is stored, or a multipart form with the one part upload_file',
    content: {
      'application/octet-stream': { schema: BYTES },
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { upload_file: { ...BYTES, description: 'its content type is stored' } },
          required: ['upload_file'],
          additionalProperties: false,
        },
      },
    },
  };
}
