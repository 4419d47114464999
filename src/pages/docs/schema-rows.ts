/** Schemas of the document as table rows. A named schema is a link to its own section. */
import { isFile, type JsonSchema } from '../../contract/json-schema.ts';
import { anchorOf } from './anchors.ts';
import { html, type Interpolated } from '../markup.ts';

/** The named schemas of the document. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

/** One row of a body table: the dotted path of a member, its type, and its rules. */
export interface SchemaRow {
  readonly member: string;
  readonly type: Interpolated;
  readonly required: boolean;
  readonly rules: string;
}

interface Keywords {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  description?: string;
  default?: unknown;
}

const REFERENCE = '#/components/schemas/';
/** Up to this number, words are listed in the row; a longer list has its own place. */
const MOST_WORDS_IN_A_ROW = 10;

/**
 * The members of a schema, outer before inner. Empty for a schema without members, and for a named schema, which has
 * its own section.
 */
export function schemaRows(schema: JsonSchema, schemas: Schemas, prefix = ''): SchemaRow[] {
  if (isReference(schema)) return [];
  const { properties, required = [], items, anyOf } = schema as Keywords;
  if (anyOf) return anyOf.flatMap((part) => schemaRows(part, schemas, prefix));
  if (items) return schemaRows(items, schemas, `${prefix}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const row = {
      member: path,
      type: typeName(member, schemas),
      required: required.includes(name),
      rules: rulesOf(member, schemas),
    };
    return [row, ...schemaRows(member, schemas, path)];
  });
}

function isReference(schema: JsonSchema): boolean {
  return '$ref' in schema;
}

/**
 * The type of a value: `string or null`, `list of string`, `map of boolean`, `bytes`, `"user" | "business"`, a link.
 */
export function typeName(schema: JsonSchema, schemas: Schemas): Interpolated {
  const { $ref, type, enum: words, anyOf, items, additionalProperties } = schema as Keywords;
  if ($ref !== undefined) return linkTo($ref.slice(REFERENCE.length), schemas);
  if (isFile(schema)) return 'bytes';
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (words) return words.map((word) => JSON.stringify(word)).join(' | ');
  if (anyOf)
    return joined(
      anyOf.map((part) => typeName(part, schemas)),
      anyOf.length > 4 ? ' | ' : ' or ',
    );
  if (Array.isArray(type)) {
    return joined(
      type.map((each) => typeName({ ...schema, type: each }, schemas)),
      ' or ',
    );
  }
  if (type === 'array') return inARow(['list of ', typeName(items ?? {}, schemas)]);
  if (typeof additionalProperties === 'object')
    return inARow(['map of ', typeName(additionalProperties, schemas)]);
  return type ?? 'any JSON';
}

function linkTo(name: string, schemas: Schemas): Interpolated {
  const shape = schemas[name] ?? {};
  const words = shape['enum'] as unknown[] | undefined;
  if (words && words.length <= MOST_WORDS_IN_A_ROW) return typeName(shape, schemas);
  return html`<a href="#${anchorOf('schema', name)}">${name}</a>`;
}

/** Joins the parts with `between`, without duplicates. */
function joined(parts: readonly Interpolated[], between: string): Interpolated {
  const different = parts.filter((part, index) => typeof part !== 'string' || parts.indexOf(part) === index);
  return inARow(different.flatMap((part, index) => (index === 0 ? [part] : [between, part])));
}

function inARow(parts: readonly Interpolated[]): Interpolated {
  return parts.every((part) => typeof part === 'string') ? parts.join('') : parts;
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

/** The rules of a value in addition to its type, its description first. */
export function rulesOf(schema: JsonSchema, schemas: Schemas): string {
  const { description, additionalProperties, items } = schema as Keywords;
  if (isReference(schema)) return description ?? '';
  const rules = description === undefined ? [] : [description];
  for (const [keyword, words] of Object.entries(RULE_WORDS)) {
    const value = schema[keyword];
    if (value === undefined || (keyword === 'format' && isFile(schema))) continue;
    // The description says it in words.
    if (description !== undefined && (keyword === 'format' || keyword === 'pattern')) continue;
    if (keyword === 'minimum' && description?.includes('at least')) continue;
    if (keyword === 'minLength' && value === 1) continue;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    const [before, after] = words.startsWith('at ')
      ? [words.slice(0, words.lastIndexOf(' ')), words.slice(words.lastIndexOf(' '))]
      : [words, ''];
    rules.push(`${before} ${shown}${after}`);
  }
  if (additionalProperties === false) rules.push('no other members');
  if (items && 'pattern' in items) rules.push(`each: ${rulesOf(items, schemas)}`);
  return rules.join('; ');
}
