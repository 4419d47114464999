/** What a thing is known by, for `--output id`. */
import { EXIT } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import { isObject, namesOf } from './members.ts';

/** The first of these that is there; `key` is a playbook's (an API key has an `id`). */
const NAMES = [
  'id',
  'fp_id',
  'onboarding_id',
  'link_id',
  'request_id',
  'key',
  'name',
  'code',
  'seq',
] as const;

/** The ids in a result, in its order: of each thing of a list, or of the one thing it is. Throws CliError for none. */
export function idsOf(result: unknown): string[] {
  const things = listIn(result) ?? [result];
  return things.map((thing) => {
    const id = idOf(thing);
    if (id === undefined) throw withoutId(thing);
    return id;
  });
}

/** Undefined for what isn't known by anything. */
export function idOf(thing: unknown): string | undefined {
  if (!isObject(thing)) return undefined;
  for (const name of NAMES) {
    const value = thing[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The list that a result is: itself, its `data`, or the one list of an object that has no id of its own. */
function listIn(result: unknown): readonly unknown[] | undefined {
  if (Array.isArray(result)) return result as unknown[];
  if (!isObject(result)) return undefined;
  if (Array.isArray(result['data'])) return result['data'] as unknown[];
  if (idOf(result) !== undefined) return undefined;
  const lists = Object.values(result).filter(
    (value): value is unknown[] => Array.isArray(value) && value.every(isObject),
  );
  return lists.length === 1 ? lists[0] : undefined;
}

function withoutId(thing: unknown): CliError {
  return new CliError('The result has no id', {
    code: 'no_id',
    exitCode: EXIT.failed,
    hint: isObject(thing) ? `--field prints a member; there are: ${namesOf(thing)}` : undefined,
  });
}
