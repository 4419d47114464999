/**
 * The mistakes that a request can make according to its schema, one at a time. Every member, query parameter and header
 * of the schema is missing, has a wrong type, or is out of bounds.
 */
import type { TSchema } from '@sinclair/typebox';

type Path = readonly (string | number)[];

export interface Mistake {
  readonly path: Path;
  /** The place as messages name it: `match.path`, `fields[0]`. */
  readonly name: string;
  /** The kind of mistake: `a word`, `missing`, `too large`. */
  readonly what: string;
  /** The value to send. Undefined means that the member is left out. */
  readonly sent: unknown;
  readonly schema: TSchema;
}

/** Values that are sent contain these marks where they can. No message may contain a mark. */
export const MARKS = ['zq81x', '8123467'] as const;
const [TEXT, DIGITS] = MARKS;

const choicesOf = (schema: TSchema) => (schema['anyOf'] ?? []) as TSchema[];
const propertiesOf = (schema: TSchema) =>
  Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>);

/** Yields all mistakes of a body, from the schema of the whole body. */
export function* mistakesOf(
  schema: TSchema,
  path: Path = [],
  isRequired = false,
): Generator<Mistake, void, void> {
  const made = (what: string, sent: unknown) => ({ path, name: nameOf(path), what, sent, schema });
  const isWhole = path.length === 0;
  if (isRequired) yield made('missing', undefined);
  const wrong = wrongTyped(schema);
  if (wrong) yield made(...wrong);
  if (!isWhole) for (const [what, sent] of outOfBounds(schema)) yield made(what, sent);
  for (const shape of [schema, ...choicesOf(schema)]) {
    if (shape !== schema) for (const [what, sent] of outOfBounds(shape)) yield made(what, sent);
    const required = (shape['required'] ?? []) as string[];
    for (const [name, member] of propertiesOf(shape)) {
      yield* mistakesOf(member, [...path, name], required.includes(name));
    }
    if (shape['items']) yield* mistakesOf(shape['items'] as TSchema, [...path, 0]);
  }
  if (schema['type'] === 'object' && schema['additionalProperties'] === false) {
    yield {
      path: [...path, 'unheard_of'],
      name: nameOf([...path, 'unheard_of']),
      what: 'unknown',
      sent: TEXT,
      schema,
    };
  }
}

/** Yields all mistakes of a query or of headers. Their values are texts. */
export function* textMistakesOf(schema: TSchema): Generator<Mistake, void, void> {
  const required = (schema['required'] ?? []) as string[];
  for (const [name, member] of propertiesOf(schema)) {
    const made = (what: string, sent: unknown) => ({ path: [name], name, what, sent, schema: member });
    if (required.includes(name)) yield made('missing', undefined);
    if (member['type'] !== 'string' || member['enum']) yield made('a word', TEXT);
    for (const [what, sent] of outOfBounds(member))
      if (sent !== '') yield made(what, String(sent).replace('\u0001', ''));
  }
}

/** Returns a kind of mistake and a value of a wrong type, or undefined where any value fits. */
function wrongTyped(schema: TSchema): [string, unknown] | undefined {
  const shapes = [schema, ...choicesOf(schema)];
  const types = shapes.map((shape) => shape['type'] as string | undefined);
  if (types.every((type) => type === undefined)) return undefined;
  if (shapes.some((shape) => shape['enum'] || 'const' in shape)) return ['a word', TEXT];
  if (!types.includes('object')) return ['an object', { [TEXT]: TEXT }];
  return types.includes('array') ? ['a number', Number(DIGITS)] : ['a list', [TEXT]];
}

function* outOfBounds(schema: TSchema): Generator<[string, unknown], void, void> {
  const {
    minLength = 0,
    maxLength,
    minimum,
    maximum,
    exclusiveMinimum,
    minItems = 0,
    maxItems,
  } = schema as Bounds;
  if (minLength > 0) yield ['empty', ''];
  if (minLength > 1) yield ['too short', TEXT[0]];
  if (maxLength !== undefined) yield ['too long', TEXT.repeat(maxLength / TEXT.length + 1)];
  if ('pattern' in schema || 'format' in schema) yield ['other characters', `!${TEXT} ?\u0001`];
  if (minimum !== undefined) yield ['too small', minimum - Number(DIGITS)];
  if (exclusiveMinimum !== undefined) yield ['too small', exclusiveMinimum];
  if (maximum !== undefined) yield ['too large', maximum + Number(DIGITS)];
  if (minItems > 0) yield ['empty', []];
  if (maxItems !== undefined) {
    yield ['too many', Array.from({ length: maxItems + 1 }, () => fitting(schema['items'] as TSchema))];
  }
}

type Bounds = Partial<
  Record<
    'minLength' | 'maxLength' | 'minimum' | 'maximum' | 'exclusiveMinimum' | 'minItems' | 'maxItems',
    number
  >
>;

/** Returns a value that fits a schema, for the members beside the mistake. */
function fitting(schema: TSchema): unknown {
  if (schema['enum']) return (schema['enum'] as unknown[])[0];
  const [first] = choicesOf(schema);
  if (first) return fitting(first);
  if ('const' in schema) return schema['const'];
  switch (schema['type']) {
    case 'string': {
      const pattern = schema['pattern'] as string | undefined;
      if (pattern?.includes('CERTIFICATE')) return '-----BEGIN CERTIFICATE-----';
      return pattern === undefined ? 'a text' : 'http://a.test';
    }
    case 'array':
      return Array.from({ length: (schema as Bounds).minItems ?? 0 }, () =>
        fitting(schema['items'] as TSchema),
      );
    case 'object':
      return requiredOf(schema);
    case 'boolean':
      return true;
    default:
      return 1;
  }
}

function requiredOf(schema: TSchema): Record<string, unknown> {
  const required = (schema['required'] ?? []) as string[];
  return Object.fromEntries(
    propertiesOf(schema).flatMap(([name, member]) =>
      required.includes(name) ? [[name, fitting(member)]] : [],
    ),
  );
}

/** Returns the body with the mistake in it, and adds the values that the place requires. */
export function withMistake(
  value: unknown,
  { path, sent }: Pick<Mistake, 'path' | 'sent'>,
  schema: TSchema,
): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return sent;
  const inner = { path: rest, sent };
  const shapes = [schema, ...choicesOf(schema)];
  if (typeof first === 'number') {
    const listed = shapes.find((shape) => shape['items']) ?? schema;
    const items = listed['items'] as TSchema;
    const fitted = Array.from({ length: Math.max(1, (listed as Bounds).minItems ?? 0) }, () =>
      fitting(items),
    );
    const list = Array.isArray(value) && value.length > 0 ? (value as unknown[]) : fitted;
    return [withMistake(list[0], inner, items), ...list.slice(1)];
  }
  const shape = shapes.find((each) => each['properties']) ?? schema;
  const members =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : requiredOf(shape);
  const member = propertiesOf(shape).find(([name]) => name === first)?.[1];
  const { [first]: before, ...others } = members;
  if (rest.length === 0 && sent === undefined) return others;
  return { ...others, [first]: member ? withMistake(before, inner, member) : sent };
}

export function nameOf(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}
