import type { TSchema } from '@sinclair/typebox';
import { isDeepStrictEqual } from 'node:util';
import { nameOf } from './shapes.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Translate = (schema: TSchema) => JsonSchema;

/** TypeBox schemas are JSON Schema plus symbols; this returns the JSON Schema in standard terms. */
export function plain(schema: TSchema): JsonSchema {
  return inStandardWords(translated(schema, plain));
}

/** Keywords that may differ between uses of one named schema, since they don't affect validation. */
const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated'] as const;

/** Collects the named schemas of the schemas that pass through it. */
export class ComponentSchemas {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #inWords: (name: string, schema: JsonSchema) => JsonSchema;

  /** `inWords` may replace each named schema. */
  constructor(inWords: (name: string, schema: JsonSchema) => JsonSchema = (_name, schema) => schema) {
    this.#inWords = inWords;
  }

  /** The schema with references instead of named schemas. Throws when two schemas have the same name. */
  refer(schema: TSchema): JsonSchema {
    const name = nameOf(schema);
    const translation = inStandardWords(translated(schema, (part) => this.refer(part)));
    if (name === undefined) return translation;
    const own = this.#inWords(name, translation);
    const known = this.#schemas.get(name);
    if (!known) this.#schemas.set(name, own);
    else if (!isDeepStrictEqual(withoutAnnotations(known), withoutAnnotations(own))) {
      throw new Error(`Two shapes of the contract are named ${name}: give one of them another name`);
    }
    return { $ref: `#/components/schemas/${name}`, ...(known && differingAnnotations(own, known)) };
  }

  /** By name. */
  get all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function withoutAnnotations(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.some((annotation) => annotation === keyword)),
  );
}

function differingAnnotations(schema: JsonSchema, from: JsonSchema): JsonSchema {
  return Object.fromEntries(
    ANNOTATIONS.filter(
      (keyword) => keyword in schema && !isDeepStrictEqual(schema[keyword], from[keyword]),
    ).map((keyword) => [keyword, schema[keyword]]),
  );
}

/** A copy without symbols, with its parts translated. */
function translated(schema: TSchema, translate: Translate): JsonSchema {
  const { properties, patternProperties, items, anyOf, additionalProperties, ...rest } = schema as Parts;
  // What is undefined is no member of JSON.
  return JSON.parse(
    JSON.stringify({
      ...rest,
      anyOf: anyOf?.map(translate),
      items: items && translate(items),
      properties: properties && eachTranslated(properties, translate),
      patternProperties: patternProperties && eachTranslated(patternProperties, translate),
      additionalProperties:
        typeof additionalProperties === 'object' ? translate(additionalProperties) : additionalProperties,
    }),
  ) as JsonSchema;
}

function eachTranslated(schemas: Readonly<Record<string, TSchema>>, translate: Translate): object {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, translate(schema)]));
}

interface Parts {
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
  additionalProperties?: boolean | TSchema;
}

const ANY_NAME = '^(.*)$';

/** Converts constructs of TypeBox and our own to the forms that code generators expect. */
function inStandardWords(schema: JsonSchema): JsonSchema {
  const { format, anyOf, patternProperties, ...rest } = schema as StandardParts;
  // One of two standard formats.
  if (format === 'ip') {
    return { ...rest, anyOf: ['ipv4', 'ipv6'].map((version) => ({ type: 'string', format: version })) };
  }
  if (patternProperties && ANY_NAME in patternProperties) {
    return { ...rest, additionalProperties: patternProperties[ANY_NAME] };
  }
  return anyOf ? { ...rest, ...choice(anyOf) } : schema;
}

interface StandardParts {
  format?: string;
  anyOf?: JsonSchema[];
  patternProperties?: Record<string, JsonSchema>;
}

/** Converts lists of words to an enum, and nullable schemas to two types. */
function choice(all: readonly JsonSchema[]): JsonSchema {
  const words = all.filter(isWord);
  const list: JsonSchema = { type: 'string', enum: words.map((schema) => schema['const']) };
  const schemas = words.length > 1 ? [list, ...all.filter((schema) => !isWord(schema))] : all;
  if (schemas.length === 1) return list;
  const [only, ...others] = schemas.filter((schema) => schema['type'] !== 'null');
  const isSimple =
    typeof only?.['type'] === 'string' && !['enum', 'const', 'anyOf'].some((keyword) => keyword in only);
  if (others.length === 0 && schemas.length === 2 && isSimple) {
    return { ...only, type: [only['type'], 'null'] };
  }
  return { anyOf: schemas };
}

function isWord(schema: JsonSchema): boolean {
  return typeof schema['const'] === 'string';
}

/** Whether a body is a stream of bytes instead of JSON. */
export function isFile(schema: JsonSchema): boolean {
  return schema['format'] === 'binary';
}
