/** What a path finds in a result. Failures name the members that there are, never what they hold. */
import { EXIT } from '../exit-codes.ts';
import { CliError } from '../failure.ts';
import type { Path, Step } from './path.ts';

const NAMES_SHOWN = 30;

/** The values that `path` leads to: one, or one for each entry of the lists it goes through; undefined for a gap. */
export function valuesAt(result: unknown, path: Path): unknown[] {
  const found = follow(result, path);
  if (found.every((value) => value instanceof Missing)) {
    const [gap] = found;
    if (gap instanceof Missing) throw gap.failure;
  }
  return found.map((value) => (value instanceof Missing ? undefined : value));
}

/** A place where a path leads nowhere: no failure when other entries of the list go on. */
class Missing {
  readonly failure: CliError;

  constructor(message: string, hint?: string) {
    this.failure = new CliError(message, { code: 'field_unknown', exitCode: EXIT.failed, hint });
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

function followMember(value: unknown, step: Step & { kind: 'member' }, rest: Path): unknown[] {
  if (!isObject(value)) {
    const hint = Array.isArray(value) ? '[] leads to each entry, [0] to the first' : undefined;
    return [new Missing(`There are no members here: this is ${kindOf(value)}`, hint)];
  }
  // The longest name first: `id.first_name` is one member where there is one of that name.
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The names of an object's members, for people. */
export function namesOf(value: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'none';
  const more = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).join(', ') + more;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds: Readonly<Record<string, string>> = {
    string: 'a text',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
  };
  return kinds[typeof value] ?? 'nothing';
}
