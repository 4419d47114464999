/**
 * Values against the schemas of the contract. A schema is compiled when it is first used, so that a start costs nothing
 * for endpoints nobody calls. All issues are reported at once; values are never echoed.
 */
import { isIP } from 'node:net';
import { FormatRegistry, TypeRegistry, type TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import { ServiceError } from '../kernel/errors.ts';
import { isJsonObject } from '../kernel/json.ts';
import { nearest } from '../kernel/nearest.ts';

const MAX_ISSUES = 20;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

FormatRegistry.Set(
  'date-time',
  (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)) && hasDay(text),
);
FormatRegistry.Set('ip', (text) => isIP(text) !== 0);
// The two forms of `Type.Unsafe` in the contract: a list of words, and any object.
TypeRegistry.Set<{ enum?: unknown[]; type?: string }>('Unsafe', (schema, value) =>
  schema.enum ? schema.enum.includes(value) : schema.type !== 'object' || isJsonObject(value),
);

type Part = 'Member' | 'Query parameter' | 'Header' | 'Setting' | 'Bootstrap data';

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** Throws `invalid_request` naming every member, parameter or header that doesn't fit. */
export function requireValid(schema: TSchema, value: unknown, part: Part): void {
  let check = compiled.get(schema);
  if (!check) compiled.set(schema, (check = TypeCompiler.Compile(schema)));
  if (check.Check(value)) return;

  const issues = new Map<string, string>();
  const meant = new Set<string>();
  for (const { path, schema: expected, type } of check.Errors(value)) {
    const name = path.slice(1).replaceAll('/', '.');
    const isWithin = [...issues.keys()].some((known) => known !== '' && name.startsWith(`${known}.`));
    if (issues.has(name) || isWithin) continue;
    const near =
      (type as number) === UNKNOWN_MEMBER ? nearestMember(name, { whole: schema, at: expected }) : undefined;
    if (near !== undefined) meant.add(near);
    issues.set(
      name,
      (type as number) === UNKNOWN_MEMBER ? 'is not known here' : `must be ${expectation(expected)}`,
    );
    if (issues.size === MAX_ISSUES) break;
  }
  const texts = [...issues].map(([name, issue]) =>
    name === '' ? `The body ${issue}` : `${part} ${name} ${issue}`,
  );
  throw new ServiceError('invalid_request', texts.join('; '), {
    meant: meant.size === 0 ? undefined : [...meant].join(' and '),
  });
}

/** The member that was meant by one that isn't known: beside it, or in another object of the same body. */
function nearestMember(name: string, { whole, at }: { whole: TSchema; at: TSchema }): string | undefined {
  const dot = name.lastIndexOf('.');
  const [parent, typed] = [name.slice(0, dot + 1), name.slice(dot + 1)];
  for (const [member, schema] of Object.entries((whole['properties'] ?? {}) as Record<string, TSchema>)) {
    if (membersOf(schema).includes(typed)) return `${member}.${typed}`;
  }
  if (parent !== '' && membersOf(whole).includes(typed)) return typed;
  const beside = nearest(typed, membersOf(at));
  return beside === undefined || !SHOWN_PARENT.test(parent) ? beside : parent + beside;
}

/** Names of members of the contract's; anything else could be a caller's own. */
const SHOWN_PARENT = /^(?:[a-z_]{1,32}\.)*$/;

function membersOf(schema: TSchema): string[] {
  return Object.keys((schema['properties'] ?? {}) as object);
}

/** ValueErrorType.ObjectAdditionalProperties; its enum lives in a module that need not be loaded for one number. */
const UNKNOWN_MEMBER = 42;

/** What a schema wants, in words. */
function expectation(schema: TSchema): string {
  if (typeof schema.description === 'string') return schema.description;
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].join(', ')}`;
  if (Array.isArray(schema['anyOf'])) {
    return (schema['anyOf'] as TSchema[]).map(expectation).slice(0, MAX_ISSUES).join(' or ');
  }
  if ('const' in schema) return `${schema['const']}`;
  if (schema['format'] === 'date-time') return 'a date and time in ISO 8601 form';
  return `${ARTICLED[schema['type'] as string] ?? 'of another type'}${bounds(schema)}`;
}

const ARTICLED: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function bounds(schema: TSchema): string {
  const least = (schema['minLength'] ?? schema['minItems'] ?? schema['minimum']) as number | undefined;
  const most = (schema['maxLength'] ?? schema['maxItems'] ?? schema['maximum']) as number | undefined;
  if (least === undefined && most === undefined) return '';
  const unit = schema['type'] === 'string' ? ' characters' : schema['type'] === 'array' ? ' entries' : '';
  if (most === undefined) return ` of at least ${least}${unit}`;
  return least === undefined ? ` of at most ${most}${unit}` : ` of ${least} to ${most}${unit}`;
}

/** Whether its month has such a day: a Date takes 30 February for 2 March. */
function hasDay(dateTime: string): boolean {
  const day = Number(dateTime.slice(8, 10));
  return new Date(`${dateTime.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}
