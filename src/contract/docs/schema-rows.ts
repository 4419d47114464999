import { isFile, type JsonSchema } from '../json-schema.ts';

/** One line of a body table: a member by its dotted path, what it may be, and its rules. */
export interface SchemaRow {
  readonly member: string;
  readonly type: string;
  readonly required: boolean;
  readonly rules: string;
}

interface Keywords {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: unknown;
  description?: string;
  default?: unknown;
}

/** The members of a schema, outer before inner; a schema without members has none. */
export function schemaRows(schema: JsonSchema, prefix = ''): SchemaRow[] {
  const { properties, required = [], items, anyOf } = schema as Keywords;
  if (anyOf) return anyOf.flatMap((part) => schemaRows(part, prefix));
  if (items) return schemaRows(items, `${prefix}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const row = {
      member: path,
      type: typeName(member),
      required: required.includes(name),
      rules: rulesOf(member),
    };
    return [row, ...schemaRows(member, path)];
  });
}

/** What a value may be, in words: `string or null`, `list of string`, `map of boolean`, `bytes`, `"user" | "business"`. */
export function typeName(schema: JsonSchema): string {
  const { type, enum: words, anyOf, items, patternProperties } = schema as Keywords;
  if (isFile(schema)) return 'bytes';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(anyOf.length > 4 ? ' | ' : ' or ');
  if (type === 'array') return `list of ${typeName(items ?? {})}`;
  if (patternProperties) return `map of ${typeName(Object.values(patternProperties)[0] ?? {})}`;
  return type ?? 'any JSON';
}

const RULE_WORDS: Readonly<Record<string, string>> = {
  format: 'format',
  pattern: 'pattern',
  minLength: 'at least characters',
  maxLength: 'at most characters',
  minimum: 'from',
  maximum: 'to',
  minItems: 'at least entries',
  maxItems: 'at most entries',
  default: 'default',
};

/** The rules of a value beyond its type, its description first. */
export function rulesOf(schema: JsonSchema): string {
  const { description, additionalProperties, items } = schema as Keywords;
  const rules = description === undefined ? [] : [description];
  for (const [keyword, words] of Object.entries(RULE_WORDS)) {
    const value = schema[keyword];
    if (value === undefined || (keyword === 'format' && isFile(schema))) continue;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    const [before, after] = words.startsWith('at ')
      ? [words.slice(0, words.lastIndexOf(' ')), words.slice(words.lastIndexOf(' '))]
      : [words, ''];
    rules.push(`${before} ${shown}${after}`);
  }
  if (additionalProperties === false) rules.push('no other members');
  if (items && 'pattern' in items) rules.push(`each: ${rulesOf(items)}`);
  return rules.join('; ');
}
