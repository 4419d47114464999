/**
 * Selects parts of a result: by paths such as `id`, `data[].id`, `data[0].kind`, `vault["id.first_name"]` for
 * `--field`, and by ids for `--output id`.
 *
 * A member name that contains dots may be written without quotes: `id.first_name`. `--field` prints one value
 * unchanged, one line for each entry of a list, and columns with tabs for several paths. Errors name the existing
 * members, never their values.
 */
import { ExactNumber, isJsonObject, jsonText } from '../../kernel/text/json.ts';
import { UsageError, CliError } from './failure.ts';

export type SelectionStep =
  | { readonly kind: 'member'; readonly name: string; readonly isQuoted: boolean }
  | { readonly kind: 'entry'; readonly index: number }
  | { readonly kind: 'each' };
export type Path = readonly SelectionStep[];

const TOKEN = /\.?([^.[\]"\s=]+)|\[(\d+)\]|(\[\])|\[("(?:[^"\\]|\\.)*")\]/y;

/** Throws UsageError, which doesn't contain the input. */
export function parsePath(text: string): Path {
  const path: SelectionStep[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const isJoined = at === 0 || text[at] === '.' || text[at] === '[';
    if (match === null || !isJoined) throw notAPath(text[at] === '=');
    at = TOKEN.lastIndex;
    path.push(stepOf(match));
  }
  if (path.length === 0) throw notAPath();
  return path;
}

function stepOf([, name, index, each, quoted]: RegExpExecArray): SelectionStep {
  if (name !== undefined) return { kind: 'member', name, isQuoted: false };
  if (index !== undefined) return { kind: 'entry', index: Number(index) };
  if (each !== undefined) return { kind: 'each' };
  try {
    return { kind: 'member', name: JSON.parse(quoted ?? '') as string, isQuoted: true };
  } catch {
    throw notAPath();
  }
}

function notAPath(isAssignment = false): UsageError {
  return new UsageError(
    '--field takes a path into the result',
    isAssignment
      ? 'such as id, without a value; a command that takes data takes it as id.first_name=Jane, without --field'
      : 'such as id, data[].id, data[0].kind or vault["id.first_name"]',
  );
}

const NAMES_SHOWN = 30;

/** The values at `path`: one, or one for each entry of the lists that it passes through; undefined for a gap. */
export function valuesAt(result: unknown, path: Path): unknown[] {
  const found = follow(result, path);
  if (found.every((value) => value instanceof Missing)) {
    const [gap] = found;
    if (gap instanceof Missing) throw gap.failure;
  }
  return found.map((value) => (value instanceof Missing ? undefined : value));
}

/** A place where a path has no value. That is not an error if other entries of the list have one. */
class Missing {
  readonly failure: CliError;

  constructor(message: string, hint?: string) {
    this.failure = new CliError(message, { code: 'field_unknown', hint });
  }
}

function follow(value: unknown, path: Path): unknown[] {
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  switch (step.kind) {
    case 'each':
      if (!Array.isArray(value)) return [new Missing(`[] is for lists; this is ${kindOf(value)}`)];
      return value.flatMap((entry) => follow(entry, rest));
    case 'entry':
      if (!Array.isArray(value))
        return [new Missing(`[${step.index}] is for lists; this is ${kindOf(value)}`)];
      if (step.index >= value.length)
        return [new Missing(`The list has ${value.length} entries, counted from 0`)];
      return follow(value[step.index], rest);
    case 'member':
      return followMember(value, step, rest);
  }
}

function followMember(value: unknown, step: SelectionStep & { kind: 'member' }, rest: Path): unknown[] {
  if (!isJsonObject(value)) {
    const hint = Array.isArray(value) ? '[] leads to each entry, [0] to the first' : undefined;
    return [new Missing(`There are no members here: this is ${kindOf(value)}`, hint)];
  }
  // Tries the longest name first: `id.first_name` is one member if there is one with that name.
  const names = [step, ...rest].map((each) =>
    each.kind === 'member' && !each.isQuoted ? each.name : undefined,
  );
  const gap = names.indexOf(undefined);
  for (let taken = gap === -1 ? names.length : gap; taken > 1; taken--) {
    const name = names.slice(0, taken).join('.');
    if (Object.hasOwn(value, name)) return follow(value[name], rest.slice(taken - 1));
  }
  if (Object.hasOwn(value, step.name)) return follow(value[step.name], rest);
  return [new Missing('The result has no such member', `there are: ${namesOf(value)}`)];
}

/** The names of an object's members, for people. */
function namesOf(value: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'none';
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).join(', ') + more;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  const kinds: Readonly<Record<string, string>> = {
    string: 'a text',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
  };
  return kinds[typeof value] ?? 'nothing';
}

/** Throws CliError for a path without a value. */
export function fieldLines(result: unknown, paths: readonly Path[]): string[] {
  const columns = paths.map((path) => {
    const values = valuesAt(result, path);
    const isOne = !path.some(({ kind }) => kind === 'each');
    const [only] = values;
    return isOne && Array.isArray(only) ? { isOne: false, values: only as unknown[] } : { isOne, values };
  });
  const [first] = columns;
  // A single text is printed unchanged, including line ends. In lines and columns they would break the layout.
  if (columns.length === 1 && first?.isOne === true) return [cell(first.values[0])];
  const lists = columns.filter(({ isOne }) => !isOne);
  const length = lists[0]?.values.length ?? 1;
  if (lists.some(({ values }) => values.length !== length)) {
    throw new CliError('The fields belong to lists of different lengths; request them one at a time', {
      code: 'field_unknown',
    });
  }
  return Array.from({ length }, (_, row) =>
    columns.map(({ isOne, values }) => inLine(cell(values[isOne ? 0 : row]))).join('\t'),
  );
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : jsonText(value);
}

const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function inLine(text: string): string {
  return text.replace(/[\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}

/** The first of these members that exists is the id. `key` is a playbook's (an API key has an `id`). */
const NAMES = [
  'id',
  'fp_id',
  'onboarding_id',
  'link_id',
  'transaction_id',
  'request_id',
  'key',
  'name',
  'code',
  'seq',
] as const;

/**
 * The ids in a result, in order: of each item of a list, or of the single item. Throws CliError if there are none.
 */
export function idsOf(result: unknown): string[] {
  const things = listIn(result) ?? [result];
  return things.map((thing) => {
    const id = idOf(thing);
    if (id === undefined) throw withoutId(thing);
    return id;
  });
}

/** Undefined if the item has no id. */
export function idOf(thing: unknown): string | undefined {
  if (!isJsonObject(thing)) return undefined;
  for (const name of NAMES) {
    const value = thing[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The list in a result: itself, its `data`, the only list of an object without an id, or none of an empty object. */
function listIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result as unknown[];
  if (!isJsonObject(result)) return undefined;
  if (Array.isArray(result['data'])) return result['data'];
  if (idOf(result) !== undefined) return undefined;
  const lists = Object.values(result)
    .filter(Array.isArray)
    .filter((value) => value.every(isJsonObject));
  return lists.length === 1 || Object.keys(result).length === 0 ? (lists[0] ?? []) : undefined;
}

function withoutId(thing: unknown): CliError {
  return new CliError('The result has no id', {
    code: 'no_id',
    hint: isJsonObject(thing) ? `--field prints a member; there are: ${namesOf(thing)}` : undefined,
  });
}
