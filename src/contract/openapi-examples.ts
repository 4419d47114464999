import type { TSchema } from '@sinclair/typebox';
import type { Endpoint } from './endpoint.ts';

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
export function exampleBody(endpoint: Endpoint, path: string): unknown {
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
