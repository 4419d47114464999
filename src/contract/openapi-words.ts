/**
 * Applies the instance's vocabulary to schemas of the document, and adds lists of words that a start should not load.
 */
import codes from '../fixtures/reason-codes.json' with { type: 'json' };
import { DUPLICATE_KINDS } from './facts/control.ts';
import type { JsonSchema } from './json-schema.ts';
import { vaultDataSchema } from './openapi-vault-data.ts';
import type { Settings } from './settings.ts';

/** The words of the vocabulary that occur in paths, headers and bodies (contract §0.13). */
export type WireWords = Settings['vocabulary'];

/** A named schema of the contract with the words of the vocabulary. */
export function inWordsOf(vocabulary: WireWords): (name: string, schema: JsonSchema) => JsonSchema {
  const lists: Readonly<Record<string, readonly string[]>> = {
    DuplicateKind: DUPLICATE_KINDS.map((kind) =>
      kind === 'name_dobname' ? vocabulary.duplicate_name_dob : kind,
    ),
    Vendor: vocabulary.vendors,
    ReasonCode: codes.map(({ reason_code }) => reason_code),
    RiskSignalScope: codes.flatMap(({ scopes }) => scopes),
  };
  return (name, schema) => {
    const words = lists[name];
    if (words) return { ...schema, enum: [...new Set(words)] };
    if (name === 'UserVaultData') return vaultDataSchema('user');
    if (name === 'BusinessVaultData') return vaultDataSchema('business');
    return name === 'ForwardedCip'
      ? renamedMember(schema, 'partner_response', vocabulary.partner_response)
      : schema;
  };
}

function renamedMember(schema: JsonSchema, from: string, to: string): JsonSchema {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name === from ? to : name, member as unknown]),
    ),
    required: [...new Set(required.map((name) => (name === from ? to : name)))],
  };
}
