/**
 * Every data identifier for people (contract §1): its rule, mask and example, derived from the tables that check
 * values. Loaded on request, never at a start.
 */
import type { JsonValue } from '../../kernel/json.ts';
import { CUSTOM_SUFFIX } from './custom.ts';
import { DOCUMENT_KINDS } from './document.ts';
import { EXAMPLES } from './examples.ts';
import { SEARCHED } from './fingerprints.ts';
import {
  domainOnly,
  firstCharacter,
  firstCharacterOfEach,
  hidden,
  lastFour,
  maskFile,
  mediaTypeOnly,
  shape,
  shown,
  yearOnly,
  type Mask,
} from './masks.ts';
import { ALIAS, identifierTables } from './registry.ts';
import { Refusal } from './refusals.ts';
import type { EntityKind, Family, IdentifierRule, Origin, Storage } from './rule.ts';

export interface IdentifierEntry {
  /** `<kind>`, `<alias>` and `<name>` stand for words that the caller chooses. */
  readonly identifier: string;
  readonly family: Family;
  /** The kinds of entity that can have it. */
  readonly vaults: readonly EntityKind[];
  readonly storage: Storage;
  /** What it accepts, and how it is normalised. */
  readonly rule: string;
  /** The mask for journal, screens and exports. */
  readonly mask: string;
  /** A valid value to send, or the value read from a derived identifier; null for a file. */
  readonly example: JsonValue;
  /** The masked example. */
  readonly masked: string;
  /** Whether POST /users/search searches it. */
  readonly searchable: boolean;
  /** Computed when it is read, refused when it is written. */
  readonly derived: boolean;
  /** The identifiers from which it can be derived. */
  readonly derived_from: readonly string[];
}

const MASK_WORDS: ReadonlyMap<Mask, string> = new Map<Mask, string>([
  [firstCharacter, 'first character'],
  [lastFour, 'last four characters'],
  [yearOnly, 'year'],
  [domainOnly, 'first character and domain'],
  [hidden, 'nothing'],
  [shown, 'shown'],
  [mediaTypeOnly, 'shown'],
  [shape, 'type and size'],
  [firstCharacterOfEach, 'first character of each entry'],
]);

const KIND = '<kind>';
const SITUATION = { isLive: false, skipLuhn: false, isInUnitedStates: false };
const SAMPLE_TYPES = ['image/png', 'application/pdf'] as const;
const SAMPLE_BYTES = 1_234;
/** Replaces the keyed fingerprint, which differs between tenants. */
const SAMPLE_FINGERPRINT = '5f2b'.repeat(16);

/** Every identifier, with families in the order of the contract; kinds of documents share their entries. */
export function identifierCatalogue(): readonly IdentifierEntry[] {
  return identifierTables().flatMap(({ prefix, place, table }) => {
    const kind = DOCUMENT_KINDS.find((each) => prefix === `document.${each}.`);
    return [...table].flatMap(([field, rule]) => {
      // The kinds differ only in the image's short name, which some have.
      const isShared = kind !== undefined && rule.aliasOf === undefined;
      if (isShared && kind !== DOCUMENT_KINDS[0]) return [];
      const start = isShared ? `document.${KIND}.` : prefix;
      return [entryOf(start, field === '*' ? place : field, { rule, table })];
    });
  });
}

/**
 * The entries whose identifiers begin with `prefix`, at any character. The result replaces `<alias>`, `<name>` or a
 * kind of document by the caller's own word.
 */
export function identifiersBeginningWith(prefix: string): readonly IdentifierEntry[] {
  return identifierCatalogue().flatMap((entry) => {
    const identifier = withTypedWords(entry.identifier, prefix);
    const isBegun = (name: string) => name.startsWith(prefix);
    const isKindBegun = () => DOCUMENT_KINDS.some((kind) => isBegun(entry.identifier.replace(KIND, kind)));
    if (!isBegun(identifier) && !isKindBegun()) return [];
    return [
      { ...entry, identifier, derived_from: entry.derived_from.map((name) => withTypedWords(name, prefix)) },
    ];
  });
}

/** `card.<alias>.number` is `card.main.number` for `card.main`, or `card.main.n`. */
function withTypedWords(identifier: string, prefix: string): string {
  const typed = prefix.split('.');
  const isWord: Readonly<Record<string, (word: string) => boolean>> = {
    [KIND]: (word) => DOCUMENT_KINDS.some((kind) => kind === word),
    '<alias>': (word) => ALIAS.test(word),
    '<name>': (word) => CUSTOM_SUFFIX.test(word),
  };
  return identifier
    .split('.')
    .map((segment, at) => {
      const word = segment === '<name>' ? typed.slice(at).join('.') : (typed[at] ?? '');
      return isWord[segment]?.(word) ? word : segment;
    })
    .join('.');
}

const ANY_WORD: Readonly<Record<string, string>> = {
  [KIND]: `(${DOCUMENT_KINDS.join('|')})`,
  '<alias>': withoutAnchors(ALIAS),
  '<name>': withoutAnchors(CUSTOM_SUFFIX),
};

/** A regular expression for exactly the identifiers of these entries, as text. Those of one family stand together. */
export function namePattern(entries: readonly IdentifierEntry[]): string {
  const families = new Map<string, string[]>();
  for (const { identifier } of entries) {
    const place = identifier.lastIndexOf('>.');
    const end = place < 0 ? identifier.indexOf('.') + 1 : place + 2;
    const family = identifier.slice(0, end);
    families.set(family, [...(families.get(family) ?? []), patternOf(identifier.slice(end))]);
  }
  const all = Array.from(families, ([family, fields]) => `${patternOf(family)}(${fields.join('|')})`);
  return `^(${all.join('|')})$`;
}

function patternOf(name: string): string {
  return name.replaceAll('.', '\\.').replace(/<\w+>/g, (word) => ANY_WORD[word] ?? word);
}

function withoutAnchors({ source }: RegExp): string {
  return source.slice(1, -1);
}

interface Row {
  readonly rule: IdentifierRule;
  readonly table: ReadonlyMap<string, IdentifierRule>;
}

function entryOf(prefix: string, field: string, row: Row): IdentifierEntry {
  const { rule } = row;
  const identifier = prefix + field;
  const isFile = rule.storage === 'file';
  const example = isFile ? null : exampleOf(prefix, field, row);
  return {
    identifier,
    family: rule.family,
    vaults: rule.kinds,
    storage: rule.storage,
    rule: ruleWords(prefix, rule),
    mask: MASK_WORDS.get(rule.mask) ?? 'type and size',
    example,
    masked: isFile
      ? maskedFile(rule)
      : rule.mask(rule.derived ? example : cleanedExample(prefix, field, row.table)),
    searchable: isSearchable(prefix, field, row.table),
    derived: rule.derived,
    derived_from: sourcesOf(prefix, field, rule),
  };
}

function ruleWords(prefix: string, rule: IdentifierRule): string {
  if (rule.aliasOf !== undefined) return `another name of ${prefix}${rule.aliasOf}`;
  if (!rule.derived) return rule.clean.words ?? 'any value';
  return rule.origins[0]?.contentTypeOf ? 'read-only: the content type of the upload' : 'read-only';
}

function sourcesOf(prefix: string, field: string, rule: IdentifierRule): string[] {
  if (rule.aliasOf !== undefined) return [prefix + rule.aliasOf];
  const names = rule.origins.flatMap(({ from }) => from).filter((name) => name !== field);
  return [...new Set(names)].map((name) => prefix + name);
}

/** True for a searched identifier and for an alias of one. */
function isSearchable(prefix: string, field: string, table: Row['table']): boolean {
  const isSearched = (name: string) => SEARCHED.some(([, identifier]) => identifier === prefix + name);
  const origins = table.get(field)?.origins ?? [];
  const isCopy = ({ from, compute }: Origin) => compute === undefined && from.every(isSearched);
  return isSearched(field) || (origins.length > 0 && origins.every(isCopy));
}

function exampleOf(prefix: string, field: string, { rule, table }: Row): JsonValue {
  const written = EXAMPLES[prefix + field];
  if (written !== undefined) return written;
  const [origin] = rule.origins;
  if (!origin) throw new Error(`${prefix}${field} has no example`);
  if (origin.contentTypeOf) return SAMPLE_TYPES[0];
  const values = origin.from.map((name) => cleanedExample(prefix, name, table));
  return origin.compute?.(values, { fingerprint: () => SAMPLE_FINGERPRINT }) ?? values[0] ?? null;
}

function maskedFile({ accepts }: IdentifierRule): string {
  return maskFile(SAMPLE_TYPES.find(accepts) ?? SAMPLE_TYPES[0], SAMPLE_BYTES);
}

/** The example in its stored form. */
function cleanedExample(prefix: string, field: string, table: Row['table']): JsonValue {
  const rule = table.get(field) ?? table.get('*');
  const cleaned = rule?.clean(EXAMPLES[prefix + field] ?? null, SITUATION);
  if (cleaned === undefined || cleaned instanceof Refusal)
    throw new Error(`${prefix}${field} has no example`);
  return cleaned;
}
