/**
 * Every data identifier for people (contract §1): its rule, mask and example, derived from the tables that check
 * values. Loaded on request, never at a start.
 */
import type { JsonValue } from '../../kernel/text/json.ts';
import { CUSTOM_SUFFIX, plainSource } from './custom.ts';
import { DOCUMENT_KINDS } from './document.ts';
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
  Refusal,
  type EntityKind,
  type Family,
  type IdentifierRule,
  type Origin,
  type Storage,
} from './rule.ts';
import { ALIAS, identifierTables } from './registry.ts';

// A made-up value for every identifier that can be written as JSON, by its name in the catalogue.

/** Each satisfies its rule. Derived identifiers have none: their examples are derived from these. */
const EXAMPLES: Readonly<Record<string, JsonValue>> = {
  'id.first_name': 'Jane',
  'id.middle_name': 'Quinn',
  'id.last_name': 'Doe',
  'id.address_line1': '1 Main Street',
  'id.address_line2': 'Apartment 2',
  'id.city': 'Springfield',
  'id.dob': '1988-12-30',
  'id.ssn9': '123-45-6789',
  'id.ssn4': '6789',
  'id.itin': '912-70-1234',
  'id.us_tax_id': '123-45-6789',
  'id.state': 'IL',
  'id.zip': '62701',
  'id.country': 'US',
  'id.nationality': 'US',
  'id.citizenships': ['US', 'CA'],
  'id.email': 'jane@example.com',
  'id.phone_number': '+1 (415) 555-2671',
  'id.us_legal_status': 'visa',
  'id.visa_kind': 'h1b',
  'id.visa_expiration_date': '2031-05-31',
  'id.drivers_license_number': 'D1234567',
  'id.drivers_license_state': 'IL',
  'investor_profile.employment_status': 'employed',
  'investor_profile.occupation': 'Bridge engineer',
  'investor_profile.employer': 'Acme Incorporated',
  'investor_profile.brokerage_firm_employer': 'Hammer & Nail Brokers',
  'investor_profile.political_organization': 'Springfield City Council',
  'investor_profile.annual_income': 'gt50k_le100k',
  'investor_profile.net_worth': 'gt100k_le200k',
  'investor_profile.investment_goals': ['growth', 'income'],
  'investor_profile.risk_tolerance': 'moderate',
  'investor_profile.declarations': ['senior_executive'],
  'investor_profile.senior_executive_symbols': ['ACME'],
  'investor_profile.family_member_names': ['John Doe'],
  'investor_profile.funding_sources': ['savings'],
  'document.<kind>.full_name': 'Jane Doe',
  'document.<kind>.first_name': 'Jane',
  'document.<kind>.last_name': 'Doe',
  'document.<kind>.gender': 'female',
  'document.<kind>.full_address': '1 Main Street, Springfield, IL 62701',
  'document.<kind>.address_line1': '1 Main Street',
  'document.<kind>.city': 'Springfield',
  'document.<kind>.state': 'IL',
  'document.<kind>.postal_code': '62701',
  'document.<kind>.issuing_state': 'IL',
  'document.<kind>.us_issuing_state': 'IL',
  'document.<kind>.ref_number': 'REF-1234567',
  'document.<kind>.curp': 'DOEJ881230MDFXXX09',
  'document.<kind>.clave_de_elector': 'DOEXJN88123009M100',
  'document.<kind>.classified_document_type': 'passport',
  'document.<kind>.curp_validation_response': 'valid',
  'document.<kind>.document_number': 'X12345678',
  'document.<kind>.dob': '1988-12-30',
  'document.<kind>.expires_at': '2031-05-31',
  'document.<kind>.issued_at': '2021-06-01',
  'document.<kind>.issuing_country': 'US',
  'document.<kind>.nationality': 'US',
  'card.<alias>.number': '4242 4242 4242 4242',
  'card.<alias>.cvc': '123',
  'card.<alias>.expiration': '12/31',
  'card.<alias>.name': 'Jane Doe',
  'card.<alias>.billing_address.zip': '62701',
  'card.<alias>.billing_address.country': 'US',
  'bank.<alias>.ach_routing_number': '021000021',
  'bank.<alias>.ach_account_number': '0001 2345 6789',
  'bank.<alias>.account_type': 'checking',
  'bank.<alias>.name': 'Everyday Checking',
  'bank.<alias>.ach_account_id': 'checking-1',
  'business.name': 'Acme Incorporated',
  'business.dba': 'Acme',
  'business.address_line1': '1 Main Street',
  'business.address_line2': 'Floor 3',
  'business.city': 'Springfield',
  'business.state': 'IL',
  'business.zip': '62701',
  'business.country': 'US',
  'business.tin': '12-3456789',
  'business.website': 'https://acme.example',
  'business.phone_number': '+1 (415) 555-2671',
  'business.corporation_type': 'llc',
  'business.formation_state': 'DE',
  'business.formation_date': '2019-04-01',
  'business.beneficial_owner_explanation_message': 'Nobody owns a quarter or more.',
  'business.beneficial_owners': [{ first_name: 'Jane', last_name: 'Doe', ownership_stake: 60 }],
  'business.kyced_beneficial_owners': [
    { first_name: 'Jane', last_name: 'Doe', ownership_stake: 60, email: 'jane@example.com' },
  ],
  'business.beneficial_owners.<alias>.ownership_stake': 60,
  'business.beneficial_owners.<alias>.id.first_name': 'Jane',
  'business.beneficial_owners.<alias>.id.last_name': 'Doe',
  'business.beneficial_owners.<alias>.id.email': 'jane@example.com',
  'business.beneficial_owners.<alias>.id.phone_number': '+1 (415) 555-2671',
  'custom.<name>': ['any', 'JSON'],
};

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

function withoutAnchors(pattern: RegExp): string {
  return plainSource(pattern).slice(1, -1);
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
      ? maskFile(SAMPLE_TYPES.find(rule.accepts) ?? SAMPLE_TYPES[0], SAMPLE_BYTES)
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

/** The example in its stored form. */
function cleanedExample(prefix: string, field: string, table: Row['table']): JsonValue {
  const rule = table.get(field) ?? table.get('*');
  const cleaned = rule?.clean(EXAMPLES[prefix + field] ?? null, SITUATION);
  if (cleaned === undefined || cleaned instanceof Refusal)
    throw new Error(`${prefix}${field} has no example`);
  return cleaned;
}
