/**
 * Suggests the identifier that an unknown name was probably meant to be. The suggestion is a name or pattern from the
 * tables and never contains anything from the request. Called only after a request has failed.
 */
import { nearest } from '../../kernel/nearest.ts';

/** A longer name is no typing error. */
const LONGEST_NAME = 100;
/** Shorter words are close to nearly every other word. */
const SHORTEST_BEGINNING = 3;
const SHORTEST_SLIP = 5;
/** Characters of names; any other text is more likely a misplaced value. */
const WORDS = /^[a-z][a-z0-9_.]*$/;

interface Open {
  readonly start: string;
  /** The placeholder for the part that callers choose. */
  readonly place: string;
  /** Names after it; empty when that part is the last one. */
  readonly fields: readonly string[];
}

export interface KnownNames {
  /** Complete names, the most common first. */
  readonly fixed: readonly string[];
  /** Families with a part that callers choose. */
  readonly open: readonly Open[];
}

/** Undefined when no name is near. */
export function nearestIdentifier(name: string, known: KnownNames): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const typed = spelled(name);
  return (
    openName(typed, known.open) ??
    (known.fixed.includes(typed) ? typed : undefined) ??
    withoutFamily(typed, known.fixed) ??
    begunName(typed, known.fixed) ??
    (WORDS.test(typed) ? (nearest(typed, known.fixed) ?? nearField(typed, known.fixed)) : undefined)
  );
}

/** Normalises the spelling: `id.firstName` and `ID.First-Name` become `id.first_name`. */
function spelled(name: string): string {
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[-\s/]/g, '_');
}

/** `custom`, and `card.number` or `card.main.nubmer`, which have a part that the caller chooses. */
function openName(typed: string, open: readonly Open[]): string | undefined {
  const family = open.find(({ start }) => `${typed}.`.startsWith(start));
  if (!family) return undefined;
  const { start, place, fields } = family;
  const rest = typed.slice(start.length);
  if (fields.length === 0) return rest === '' ? start + place : undefined;
  const dot = rest.indexOf('.');
  const field = nearest(rest, fields) ?? (dot === -1 ? undefined : nearest(rest.slice(dot + 1), fields));
  if (field !== undefined) return `${start}${place}.${field}`;
  return rest === '' ? `${start}${place}.${fields[0] ?? ''}` : undefined;
}

/** `first_name` and `user.first_name`, which are correct except for their family. */
function withoutFamily(typed: string, fixed: readonly string[]): string | undefined {
  const last = typed.slice(typed.lastIndexOf('.') + 1);
  return fixed.find((each) => each.slice(each.indexOf('.') + 1) === last);
}

/** An incomplete name, such as `document.passport.front`. */
function begunName(typed: string, fixed: readonly string[]): string | undefined {
  return typed === '' ? undefined : fixed.find((each) => each.startsWith(`${typed}.`) && typed.includes('.'));
}

/** `phone`, and a typing error after the family; prefers the given family if it exists. */
function nearField(typed: string, fixed: readonly string[]): string | undefined {
  const family = typed.slice(0, typed.indexOf('.') + 1);
  const isFamily = family !== '' && fixed.some((each) => each.startsWith(family));
  const names = fixed.filter(
    (each) => each.split('.').length === 2 && (!isFamily || each.startsWith(family)),
  );
  const fields = new Map(names.reverse().map((each) => [each.slice(each.indexOf('.') + 1), each]));
  const last = typed.slice(typed.lastIndexOf('.') + 1);
  if (last.length < SHORTEST_BEGINNING) return undefined;
  const begun = [...fields.keys()].reverse().find((each) => each.startsWith(last));
  const field = begun ?? (last.length < SHORTEST_SLIP ? undefined : nearest(last, fields.keys()));
  return field === undefined ? undefined : fields.get(field);
}
