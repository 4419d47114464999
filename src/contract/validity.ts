/**
 * Checks values against the schemas of the contract. A schema is compiled at its first use, so that a start costs
 * nothing for unused endpoints. All problems are reported at once; values are never quoted.
 */
import { isIP } from 'node:net';
import { FormatRegistry, TypeRegistry, type TSchema } from '@sinclair/typebox';
import { TypeCompiler, type TypeCheck } from '@sinclair/typebox/compiler';
import type { ValueError } from '@sinclair/typebox/errors';
import { withoutCredentials } from '../kernel/ids/ids.ts';
import { isJsonObject } from '../kernel/text/json.ts';
import { parseInstant } from '../kernel/time/civil-date.ts';
import { nearest } from '../kernel/text/nearest.ts';
import { unexpectedCharacter } from '../kernel/text/unexpected-character.ts';
import { expectation, presentName } from './expectation.ts';
import { invalid } from '../kernel/errors.ts';

const MAX_ISSUES = 20;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

FormatRegistry.Set(
  'date-time',
  (text) => DATE_TIME.test(text) && parseInstant(text.toUpperCase()) !== undefined,
);
FormatRegistry.Set('ip', (text) => isIP(text) !== 0);
// The two uses of `Type.Unsafe` in the contract: a list of words, and any object.
TypeRegistry.Set<{ enum?: unknown[]; type?: string }>('Unsafe', (schema, value) =>
  schema.enum ? schema.enum.includes(value) : schema.type !== 'object' || isJsonObject(value),
);

type Part = 'Member' | 'Query parameter' | 'Header' | 'Setting' | 'Bootstrap data';

/** The prefix of a name in a sentence; members of the body have none. */
const BEFORE_NAME: Readonly<Record<Part, string>> = {
  Member: '',
  'Query parameter': 'Query parameter ',
  Header: 'Header ',
  Setting: 'Setting ',
  'Bootstrap data': 'bootstrap_data: ',
};

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** Throws `invalid_request` with a sentence for every invalid member, parameter, header or setting. */
export function requireValid(schema: TSchema, value: unknown, part: Part): void {
  let check = compiled.get(schema);
  if (!check) compiled.set(schema, (check = TypeCompiler.Compile(schema)));
  if (check.Check(value)) return;

  const issues = new Map<string, string>();
  const meant = new Set<string>();
  for (const error of issuesOf(check.Errors(value))) {
    const { path, schema: expected, type } = error;
    const isWithin = [...issues.keys()].some((known) => path.startsWith(`${known}/`));
    if (issues.has(path) || isWithin) continue;
    const name = nameOf(path, value);
    if ((type as number) === UNKNOWN_MEMBER) {
      const present = presentName(expected, name.slice(name.lastIndexOf('.') + 1));
      if (present === undefined) {
        const near = nearestMember(name, { whole: schema, at: expected });
        if (near !== undefined) meant.add(near);
      }
      const renamed = present === undefined ? '' : `: it is called ${present} now`;
      issues.set(path, `There is no ${WORD[part]} ${name}${renamed}`);
    } else issues.set(path, issueOf(`${BEFORE_NAME[part]}${name}`, error));
    if (issues.size === MAX_ISSUES) break;
  }
  throw invalid([...issues.values()].join('; '), {
    meant: meant.size === 0 ? undefined : [...meant].join(' and '),
  });
}

const WORD: Readonly<Record<Part, string>> = {
  Member: 'member',
  'Query parameter': 'query parameter',
  Header: 'header',
  Setting: 'setting',
  'Bootstrap data': 'member',
};

/** `seed must be a string of 1 to 256 characters`. */
function issueOf(name: string, { path, schema, value }: ValueError): string {
  if (path === '') return `The body must be ${expectation(schema)}`;
  return value === undefined
    ? `${name} is missing: it must be ${expectation(schema)}`
    : `${name} must be ${expectation(schema)}${foundIn(schema, value)}`;
}

/** How the patterns of external, idempotency and sandbox ids begin. */
const PATTERN_OF_IDS = '^[A-Za-z0-9_.\\-]{';
const CHARACTER_OF_IDS = /^[A-Za-z0-9_.-]$/;

/** What doesn't belong in an id that the caller chose; never the text. */
function foundIn({ pattern }: TSchema, value: unknown): string {
  if (typeof value !== 'string' || !String(pattern).startsWith(PATTERN_OF_IDS)) return '';
  return `, found ${unexpectedCharacter(value, CHARACTER_OF_IDS) ?? 'another length'}`;
}

/** For a list or an object that fits none of several schemas, yields the problems with the schema of its kind. */
function* issuesOf(errors: Iterable<ValueError>): Generator<ValueError, void, void> {
  for (const error of errors) {
    const choices = (error.type as number) === NO_CHOICE_FITS ? (error.schema['anyOf'] as TSchema[]) : [];
    const kind = Array.isArray(error.value) ? 'array' : isJsonObject(error.value) ? 'object' : undefined;
    const at = kind === undefined ? -1 : choices.findIndex((choice) => choice['type'] === kind);
    const within = error.errors[at];
    if (within) yield* issuesOf(within);
    else yield error;
  }
}

/**
 * The name of a member in an error: `tampering.skew_ms`, `fields[0]`, or `Entry [0]` when the body is a list. Cuts a
 * long name.
 */
function nameOf(path: string, value: unknown): string {
  let at = value;
  let name = '';
  for (const step of path.split('/').slice(1)) {
    const member = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const shown = MEMBER_NAME.test(member) ? withoutCredentials(member.slice(0, SHOWN_CHARACTERS)) : '***';
    name += Array.isArray(at) ? `[${member}]` : `${name === '' ? '' : '.'}${shown}`;
    at = (at as Readonly<Record<string, unknown>> | undefined)?.[member];
  }
  return name.startsWith('[') ? `Entry ${name}` : name;
}

/** Any other text could be a misplaced value. */
const MEMBER_NAME = /^[A-Za-z0-9_.:-]+$/;
const SHOWN_CHARACTERS = 100;

/** The known member that an unknown one was probably meant to be: in the same object, or in another one of the body. */
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

/** Member names of the contract; any other could come from the caller. */
const SHOWN_PARENT = /^(?:[a-z_]{1,32}\.)*$/;

function membersOf(schema: TSchema): string[] {
  return Object.keys((schema['properties'] ?? {}) as object);
}

/**
 * ValueErrorType.ObjectAdditionalProperties and .Union. The enum is in a module that isn't worth loading for two
 * numbers.
 */
const UNKNOWN_MEMBER = 42;
const NO_CHOICE_FITS = 62;
