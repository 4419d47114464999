/**
 * Which identifier was meant by a name that is none. The answer is a name of the tables, or the form of one: nothing
 * of what was sent is in it. Asked when a request has failed already.
 */
import { nearest } from '../../kernel/nearest.ts';

/** A longer name is no slip. */
const LONGEST_NAME = 100;
/** Shorter words are near nearly every other word. */
const SHORTEST_BEGINNING = 3;
const SHORTEST_SLIP = 5;
/** What names are made of; anything else is rather a value in the wrong place. */
const WORDS = /^[a-z][a-z0-9_.]*$/;

interface Open {
  readonly start: string;
  /** What stands for the part that callers choose. */
  readonly place: string;
  /** Names after it; none: that part is the last one. */
  readonly fields: readonly string[];
}

export interface KnownNames {
  /** Complete names, those that are commonest first. */
  readonly fixed: readonly string[];
  /** Families with a part that callers choose. */
  readonly open: readonly Open[];
}

/** Undefined when nothing is near. */
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

/** As names are written here: `id.firstName` and `ID.First-Name` are `id.first_name`. */
function spelled(name: string): string {
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[-\s/]/g, '_');
}

/** `custom`, and `card.number` or `card.main.nubmer`, which have a part of the caller's own. */
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

/** `first_name`, and `user.first_name`: right but for what stands before it. */
function withoutFamily(typed: string, fixed: readonly string[]): string | undefined {
  const last = typed.slice(typed.lastIndexOf('.') + 1);
  return fixed.find((each) => each.slice(each.indexOf('.') + 1) === last);
}

/** `document.passport.front`, where something is still to come. */
function begunName(typed: string, fixed: readonly string[]): string | undefined {
  return typed === '' ? undefined : fixed.find((each) => each.startsWith(`${typed}.`) && typed.includes('.'));
}

/** `phone`, and a slip in what stands behind the family: of that family, where it is one. */
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
