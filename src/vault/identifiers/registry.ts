/** Every identifier of the vault, and the one that an unknown name was probably meant to be. */
import { type ServiceError, invalid } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/ids/ids.ts';
import { nearest } from '../../kernel/text/nearest.ts';
import { bankTable, cardTable } from './payment.ts';
import { beneficialOwnerTable, businessTable, idTable, investorProfileTable } from './entity.ts';
import { CUSTOM_SUFFIX, customTable } from './custom.ts';
import { DOCUMENT_KINDS, customDocumentTable, documentKindTable, documentTable } from './document.ts';
import { Identifier, type IdentifierDescription, type IdentifierRule } from './rule.ts';

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

interface KnownNames {
  /** Complete names, the most common first. */
  readonly fixed: readonly string[];
  /** Families with a part that callers choose. */
  readonly open: readonly Open[];
}

/** Undefined when no name is near. */
function nearestIdentifier(name: string, known: KnownNames): string | undefined {
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

type Table = ReadonlyMap<string, IdentifierRule>;

const FIXED_TABLES: readonly (readonly [prefix: string, table: Table])[] = [
  ['id.', idTable],
  ['investor_profile.', investorProfileTable],
  ['document.', documentTable],
  ...DOCUMENT_KINDS.map((kind) => [`document.${kind}.`, documentKindTable(kind)] as const),
  ['business.', businessTable],
];

const FIXED: ReadonlyMap<string, Identifier> = new Map(
  FIXED_TABLES.flatMap(([prefix, table]) =>
    [...table].map(
      ([field, rule]) => [prefix + field, new Identifier(prefix + field, prefix, rule)] as const,
    ),
  ),
);

export const ALIAS = /^[A-Za-z0-9\-_]{1,64}$/;

/** `<start><alias>.<field>`, for cards, bank accounts and owners. */
function findAliased(name: string, start: string, table: Table): Identifier | undefined {
  const dot = name.indexOf('.', start.length);
  const rule = dot < 0 ? undefined : table.get(name.slice(dot + 1));
  if (rule === undefined || !ALIAS.test(name.slice(start.length, dot))) return undefined;
  return new Identifier(name, name.slice(0, dot + 1), rule);
}

/** `<start><suffix>`, where every suffix has the same rule. */
function findSuffixed(name: string, start: string, table: Table): Identifier | undefined {
  const rule = table.get('*');
  if (rule === undefined || !CUSTOM_SUFFIX.test(name.slice(start.length))) return undefined;
  return new Identifier(name, start, rule);
}

const WILDCARDS: readonly (readonly [
  start: string,
  find: (name: string, start: string, table: Table) => Identifier | undefined,
  table: Table,
])[] = [
  ['custom.', findSuffixed, customTable],
  ['card.', findAliased, cardTable],
  ['bank.', findAliased, bankTable],
  ['business.beneficial_owners.', findAliased, beneficialOwnerTable],
  ['document.custom.', findSuffixed, customDocumentTable],
];

/** The identifier with its rule; undefined for unknown names and illegal suffixes. */
export function findIdentifier(name: string): Identifier | undefined {
  const fixed = FIXED.get(name);
  if (fixed !== undefined) return fixed;
  for (const [start, find, table] of WILDCARDS) {
    if (name.startsWith(start)) return find(name, start, table);
  }
  return undefined;
}

/** The description of an identifier; undefined for an unknown one, or an illegal suffix or alias. */
export function describeIdentifier(name: string): IdentifierDescription | undefined {
  return findIdentifier(name);
}

const NAMED_CHARACTERS = 256;

function notAnIdentifier(name: string, what: string, meant?: string): ServiceError {
  const shown = withoutCredentials(name);
  const named = shown.length > NAMED_CHARACTERS ? `${shown.slice(0, NAMED_CHARACTERS)}…` : shown;
  return invalid(`${what}: ${named}`, { meant });
}

function unknownIdentifier(name: string, shown = name): ServiceError {
  return notAnIdentifier(shown, 'Unknown identifier', nearestIdentifier(name, knownNames()));
}

let names: KnownNames | undefined;

function knownNames(): KnownNames {
  return (names ??= {
    fixed: [...FIXED.keys()],
    open: WILDCARDS.map(([start, , table]) => ({
      start,
      place: table.has('*') ? '<name>' : '<alias>',
      fields: [...table.keys()].filter((field) => field !== '*'),
    })),
  });
}

/** The identifier with its rule; throws `invalid_request` naming it when there is none. */
export function getIdentifier(name: string): Identifier {
  const identifier = findIdentifier(name);
  if (identifier === undefined) throw unknownIdentifier(name);
  return identifier;
}

/** Throws `invalid_request`, without context, naming the first unknown identifier (contract §0.8). */
export function requireKnownIdentifiers(names: Iterable<string>): void {
  for (const name of names) getIdentifier(name);
}

/** The same for patterns: `*`, an identifier, or the beginning of some, such as `card.*` (contract §0.3). */
export function requireKnownPatterns(patterns: Iterable<string>): void {
  for (const pattern of patterns) {
    const start = pattern.slice(0, -1);
    const isKnown =
      pattern.endsWith('*') &&
      ([...FIXED.keys()].some((name) => name.startsWith(start)) ||
        WILDCARDS.some(([each]) => each.startsWith(start) || start.startsWith(each)));
    if (!isKnown) getIdentifier(pattern);
  }
}

/** An identifier in a request: its current value, or the value in a version of its vault. */
export interface IdentifierReference {
  /** As sent, and as returned. */
  readonly text: string;
  readonly identifier: string;
  readonly version: number | undefined;
}

/**
 * Splits `<identifier>` or `<identifier>:<version>`. The version is an unsigned decimal; an imprecise large one behaves
 * like any other above the current version. Throws `invalid_request` naming an unknown identifier or a bad version.
 */
export function parseIdentifierReference(text: string): IdentifierReference {
  const colon = text.indexOf(':');
  const identifier = colon < 0 ? text : text.slice(0, colon);
  if (findIdentifier(identifier) === undefined) throw unknownIdentifier(identifier, text);
  if (colon < 0) return { text, identifier, version: undefined };
  const version = text.slice(colon + 1);
  if (!/^[0-9]+$/.test(version)) throw notAnIdentifier(text, 'Not a version of an identifier');
  return { text, identifier, version: Math.min(Number(version), Number.MAX_SAFE_INTEGER) };
}

/** A family of identifiers, or a part of one: its prefix, and the name of the part that the caller chooses. */
export interface IdentifierTable {
  readonly prefix: string;
  readonly place: string;
  readonly table: Table;
}

/** All tables, for documentation: those with fixed names, and those with a part that callers choose. */
export function identifierTables(): readonly IdentifierTable[] {
  return [
    ...FIXED_TABLES.map(([prefix, table]) => ({ prefix, place: '', table })),
    ...WILDCARDS.map(([start, , table]) => {
      const isSuffixed = table.has('*');
      return { prefix: isSuffixed ? start : `${start}<alias>.`, place: '<name>', table };
    }),
  ];
}

/**
 * Every identifier with a fixed name. Those of cards, bank accounts, owners and custom data have a part that callers
 * choose.
 */
export function fixedIdentifiers(): readonly string[] {
  return [...FIXED.keys()];
}
