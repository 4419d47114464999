/**
 * Describes what a schema expects, in words that complete a sentence "… must be". They come from the keywords of the
 * schema. A pattern is not readable, so a schema with a pattern describes it by `EXPECTS`. Descriptions are for
 * documents only.
 */
import type { TSchema } from '@sinclair/typebox';

/**
 * Set on a schema whose keywords don't describe it: the words, such as "an e-mail address". Not part of any document.
 */
export const EXPECTS = Symbol('expects');

/** Set on an object: former names of members with the present ones, for older callers. Not part of any document. */
export const FORMER_NAMES = Symbol('former names');

/** The present name of a member; undefined for one that was never renamed. */
export function presentName(schema: TSchema, member: string): string | undefined {
  const names = (schema as { [FORMER_NAMES]?: Readonly<Record<string, string>> })[FORMER_NAMES];
  return names && Object.hasOwn(names, member) ? names[member] : undefined;
}

/** `a string of 1 to 256 characters`. */
export function expectation(schema: TSchema): string {
  const expected = (schema as { [EXPECTS]?: unknown })[EXPECTS];
  if (typeof expected === 'string') return expected;
  if (Array.isArray(schema['anyOf'])) return expectationOfChoices(schema['anyOf'] as TSchema[]);
  if (Array.isArray(schema['enum'])) return oneOf(schema['enum'].map(String));
  if ('const' in schema) return String(schema['const']);
  switch (schema['type']) {
    case 'string':
      return (
        FORMATS[schema['format'] as string] ??
        `a string${range(schema['minLength'], schema['maxLength'], 'character')}`
      );
    case 'integer':
      return `an integer${ofNumbers(schema)}`;
    case 'number':
      return `a number${ofNumbers(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return list(schema);
    case 'object':
      return object(schema);
    default:
      return schema['type'] === 'null' ? 'null' : 'of another type';
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a date and time in ISO 8601 form, such as 2026-01-31T12:00:00Z',
  ip: 'an IPv4 or IPv6 address',
};

function expectationOfChoices(choices: readonly TSchema[]): string {
  const words = choices.flatMap((choice) => ('const' in choice ? [String(choice['const'])] : []));
  const others = choices.filter((choice) => !('const' in choice)).map(expectation);
  return [...(words.length === 0 ? [] : [oneOf(words)]), ...others].join(', or ');
}

function oneOf(words: readonly string[]): string {
  return words.length <= 2 ? words.join(' or ') : `one of ${words.join(', ')}`;
}

function ofNumbers(schema: TSchema): string {
  const { minimum: least, maximum: most, exclusiveMinimum: above } = schema;
  const lower = above === undefined ? '' : ` above ${above}`;
  if (lower !== '') return most === undefined ? lower : `${lower} and at most ${most}`;
  return least !== undefined && most !== undefined ? ` from ${least} to ${most}` : range(least, most, '');
}

function list(schema: TSchema): string {
  const { minItems: least, maxItems: most } = schema;
  const items = schema['items'] as TSchema;
  const each = expectation(items);
  const isUnbounded = least === undefined && most === undefined;
  const noun = PLAIN_ENTRIES[each];
  if (noun !== undefined) return isUnbounded ? `a list of ${noun}s` : `a list${range(least, most, noun)}`;
  if (isUnbounded) return `a list, each entry ${each}`;
  const words = items['enum'] as readonly unknown[] | undefined;
  return words
    ? `a list${least === 1 && most === undefined ? ' of at least one' : range(least, most, '')} of ${words.join(', ')}`
    : `a list${range(least, most, 'entry')}, each ${each}`;
}

const PLAIN_ENTRIES: Readonly<Record<string, string>> = { 'a string': 'string', 'an object': 'object' };

/** Lists the required members; without any, and if no others are allowed, the optional ones. */
function object(schema: TSchema): string {
  const required = (schema['required'] ?? []) as readonly string[];
  if (required.length > 0) return `an object with ${series(required)}`;
  const known = Object.keys((schema['properties'] ?? {}) as object);
  return schema['additionalProperties'] === false && known.length > 1
    ? `an object with any of ${series(known)}`
    : 'an object';
}

function series(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function range(least: unknown, most: unknown, unit: string): string {
  const [lower, upper] = [least as number | undefined, most as number | undefined];
  if (lower === undefined && upper === undefined) return '';
  const counted = unit === '' ? '' : ` ${(upper ?? lower) === 1 ? unit : plural(unit)}`;
  if (upper === undefined) return ` of at least ${unit !== '' && lower === 1 ? 'one' : lower}${counted}`;
  if (lower === undefined) return ` of at most ${upper}${counted}`;
  return lower === upper ? ` of exactly ${lower}${counted}` : ` of ${lower} to ${upper}${counted}`;
}

const plural = (unit: string) => (unit === 'entry' ? 'entries' : `${unit}s`);
