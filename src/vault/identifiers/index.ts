import type { JsonValue } from '../../kernel/text/json.ts';
import { atOnce } from '../../kernel/time/turns.ts';
import { country } from './format-rules.ts';
import {
  shape,
  Refusal,
  REFUSED,
  vaultDataNotValid,
  type CleaningContext,
  type Compute,
  type EntityKind,
  type Identifier,
} from './rule.ts';
import { findIdentifier, getIdentifier } from './registry.ts';

/**
 * The rules between `id.ssn9`, `id.ssn4`, `id.itin` and `id.us_tax_id` (contract §1.3, rules 1 to 5), checked against
 * the vault as it would be after the request. Deletions of the request apply before its writes. Only `id.ssn9`,
 * `id.itin` and an `id.ssn4` without an `id.ssn9` are stored; the rest is derived.
 */
const TAX_IDENTIFIERS = ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id'] as const;
type TaxIdentifier = (typeof TAX_IDENTIFIERS)[number];

function isTaxIdentifier(name: string): name is TaxIdentifier {
  return (TAX_IDENTIFIERS as readonly string[]).includes(name);
}

/**
 * What the vault has before the write. Never a value: whether a write is accepted must not depend on one, since the
 * caller may not be allowed to decrypt it.
 */
export interface VaultState {
  isStored(identifier: string): boolean;
}

/** The request's change of one tax identifier: a cleaned value, a refused one, or null to delete it. */
type Sent = JsonValue | Refusal | undefined;

interface TaxPlan {
  readonly problems: ReadonlyMap<TaxIdentifier, Refusal>;
  readonly set: ReadonlyMap<TaxIdentifier, string>;
  readonly remove: readonly TaxIdentifier[];
}

const NOTHING: TaxPlan = { problems: new Map(), set: new Map(), remove: [] };

function isWrite(sent: Sent): boolean {
  return sent !== undefined && sent !== null;
}

function textOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent : undefined;
}

/** Checks the request's tax identifiers against the vault; `set` and `remove` are valid only without problems. */
function planTaxIdentifiers(
  sent: Readonly<Partial<Record<TaxIdentifier, JsonValue | Refusal>>>,
  state: VaultState,
): TaxPlan {
  if (Object.keys(sent).length === 0) return NOTHING;
  const { 'id.ssn9': ssn9, 'id.ssn4': ssn4, 'id.itin': itin, 'id.us_tax_id': taxId } = sent;
  const stays = (name: TaxIdentifier): boolean => sent[name] === undefined && state.isStored(name);
  const [ssn9Stays, ssn4Stays, itinStays] = [stays('id.ssn9'), stays('id.ssn4'), stays('id.itin')];
  const target = taxTarget(textOf(taxId), textOf(ssn9));
  // Rule 1: an ssn4 beside a written ssn9 is ignored, even if malformed.
  const ssn4Sent = isWrite(ssn9) || target === 'id.ssn9' ? undefined : ssn4;
  const itinWritten = isWrite(itin) || target === 'id.itin';

  const problems = new Map<TaxIdentifier, Refusal>();
  const refuse = (name: TaxIdentifier, value: Sent, exclusion: () => Refusal | undefined): void => {
    const refusal = value instanceof Refusal ? value : exclusion();
    if (refusal !== undefined) problems.set(name, refusal);
  };

  refuse('id.ssn9', ssn9, () => (isWrite(ssn9) && (itinStays || isWrite(itin)) ? REFUSED.XSSN : undefined));
  refuse('id.itin', itin, () => {
    const ssnPresent = ssn9Stays || ssn4Stays || isWrite(ssn9) || isWrite(ssn4Sent);
    return isWrite(itin) && ssnPresent ? REFUSED.XITIN : undefined;
  });
  refuse('id.ssn4', ssn4Sent, () => {
    if (ssn4Sent === undefined) return undefined;
    // Rule 2: the last four of an existing ssn9 are derived, whatever is sent.
    if (ssn9Stays) return REFUSED.DRV;
    return isWrite(ssn4Sent) && (itinStays || itinWritten) ? REFUSED.XSSN : undefined;
  });
  refuse('id.us_tax_id', taxId, () => {
    if (taxId === null) {
      return ssn9Stays || itinStays || isWrite(ssn9) || isWrite(itin) ? REFUSED.DRV : undefined;
    }
    const differs = [ssn9, itin].some((other) => typeof other === 'string' && other !== taxId);
    const otherKindPresent = target === 'id.ssn9' ? itinStays : ssn9Stays || ssn4Stays || isWrite(ssn4Sent);
    return target !== undefined && (differs || otherKindPresent) ? REFUSED.XTAX : undefined;
  });

  const set = new Map<TaxIdentifier, string>();
  const write = (name: TaxIdentifier, value: string | undefined): void => {
    if (value !== undefined) set.set(name, value);
  };
  if (target !== undefined) write(target, textOf(taxId));
  write('id.ssn9', textOf(ssn9));
  write('id.itin', textOf(itin));
  write('id.ssn4', textOf(ssn4Sent));

  const goes = (name: TaxIdentifier): boolean =>
    !set.has(name) && (sent[name] === null || (name === 'id.ssn4' && set.has('id.ssn9')));
  const remove = TAX_IDENTIFIERS.filter((name) => goes(name) && state.isStored(name));
  return { problems, set, remove };
}

/**
 * The identifier that a written us_tax_id sets: an ITIN starts with 9, unless it equals the ssn9 beside it, which has no
 * structure.
 */
function taxTarget(taxId: string | undefined, ssn9: string | undefined): 'id.ssn9' | 'id.itin' | undefined {
  if (taxId === undefined) return undefined;
  return taxId.startsWith('9') && taxId !== ssn9 ? 'id.itin' : 'id.ssn9';
}

/** How to read an identifier from stored values. */
export interface Reading {
  /** Stored names of the required values, in the order of the arguments of `compute`. */
  readonly sources: readonly string[];
  /** Undefined: the value of the only source, unchanged. */
  readonly compute?: Compute;
  /** The value is the content type of the stored source file. */
  readonly contentTypeOf?: true;
}

/** How to read an identifier now: directly, through an alias, or derived. Undefined when it is absent or unknown. */
export function readingOf(identifier: string, isStored: (name: string) => boolean): Reading | undefined {
  const known = findIdentifier(identifier);
  if (known === undefined) return undefined;
  const { origins } = known.rule;
  if (origins.length === 0) return isStored(identifier) ? { sources: [identifier] } : undefined;
  for (const { from, ...how } of origins) {
    const sources = from.map((field) => known.prefix + field);
    if (sources.every(isStored)) return { sources, ...how };
  }
  return undefined;
}

/**
 * The stored identifiers and those derived from them, sorted by name. Aliases are not listed in addition to their
 * originals.
 */
export function presentIdentifiers(stored: Iterable<string>): string[] {
  return atOnce(findPresent(stored));
}

const NAMES_PER_TURN = 250;

/** `presentIdentifiers` that yields after each few hundred names. */
export function* findPresent(stored: Iterable<string>): Generator<void, string[]> {
  const names = new Set(stored);
  const present = new Set(names);
  const isStored = (name: string): boolean => names.has(name);
  let looked = 0;
  for (const name of names) {
    looked += 1;
    if (looked % NAMES_PER_TURN === 0) yield;
    const known = findIdentifier(name);
    for (const field of known?.rule.derives ?? []) {
      const derived = `${known?.prefix ?? ''}${field}`;
      if (readingOf(derived, isStored) !== undefined) present.add(derived);
    }
  }
  return [...present].sort();
}

export interface WriteRequest {
  readonly kind: EntityKind;
  /** Identifier to value; null deletes, and is ignored on create. */
  readonly changes: ReadonlyMap<string, JsonValue>;
  readonly state: VaultState;
  readonly isCreate: boolean;
  readonly skipLuhn: boolean;
  readonly isLive: boolean;
}

/** What to store and what to delete, by stored names. */
export interface WritePlan {
  set: { identifier: string; value: JsonValue }[];
  /** Only names that are stored now. */
  remove: string[];
}

const NEUTRAL: CleaningContext = { isLive: false, skipLuhn: false, isInUnitedStates: false };

function situationOf({ kind, changes, isLive, skipLuhn }: WriteRequest): CleaningContext {
  const sent = changes.get(kind === 'user' ? 'id.country' : 'business.country');
  return { isLive, skipLuhn, isInUnitedStates: sent !== undefined && country(sent, NEUTRAL) === 'US' };
}

/**
 * Validates and cleans all changes at once, and checks derivations and exclusions against the vault as it would be
 * after the request (contract §0.8, §1). Throws `invalid_request` for an unknown identifier, and `T120` with one entry
 * for each invalid identifier, in the order of the request. Neither contains a value.
 */
export function planWrite(request: WriteRequest): WritePlan {
  const { kind, changes, state, isCreate } = request;
  const situation = situationOf(request);
  const problems = new Map<string, Refusal>();
  const set = new Map<string, JsonValue>();
  const remove = new Set<string>();
  const derivedToDelete: string[] = [];
  const tax: Partial<Record<TaxIdentifier, JsonValue | Refusal>> = {};

  for (const [name, value] of changes) {
    const identifier = getIdentifier(name);
    if (value === null && isCreate) continue;
    if (!identifier.belongsTo(kind)) {
      problems.set(name, REFUSED.FAM);
      continue;
    }
    const cleaned = value === null ? null : identifier.rule.clean(value, situation);
    if (isTaxIdentifier(name)) tax[name] = cleaned;
    else if (cleaned instanceof Refusal) problems.set(name, cleaned);
    else if (cleaned !== null) set.set(name, cleaned);
    else if (identifier.derived) derivedToDelete.push(name);
    else if (state.isStored(identifier.canonical)) remove.add(identifier.canonical);
  }

  const taxPlan = planTaxIdentifiers(tax, state);
  for (const [name, refusal] of taxPlan.problems) problems.set(name, refusal);

  const isStoredAfter = (name: string): boolean =>
    !remove.has(name) && (set.has(name) || state.isStored(name));
  for (const name of derivedToDelete) {
    if (readingOf(name, isStoredAfter) !== undefined) problems.set(name, REFUSED.DRV);
  }
  if (problems.size > 0) throw vaultDataNotValid(inOrderSent(problems, changes));

  return {
    set: [...set, ...taxPlan.set].map(([identifier, value]) => ({ identifier, value })),
    remove: [...remove, ...taxPlan.remove],
  };
}

/**
 * The submitted identifiers that replace or delete something stored, whatever the values are. Each tax identifier may
 * replace another one.
 */
export function replacedBy(changes: WriteRequest['changes'], state: Pick<VaultState, 'isStored'>): string[] {
  const isStored = (name: string): boolean => state.isStored(name);
  const holdsTaxIdentifier = TAX_IDENTIFIERS.some(isStored);
  return [...changes.keys()].filter((name) =>
    isTaxIdentifier(name) ? holdsTaxIdentifier : isStored(getIdentifier(name).canonical),
  );
}

function inOrderSent(
  problems: ReadonlyMap<string, Refusal>,
  changes: ReadonlyMap<string, JsonValue>,
): Map<string, Refusal> {
  const sorted = new Map<string, Refusal>();
  for (const name of changes.keys()) {
    const refusal = problems.get(name);
    if (refusal !== undefined) sorted.set(name, refusal);
  }
  return sorted;
}

export type { EntityKind, Family, IdentifierDescription, Derive } from './rule.ts';
export {
  describeIdentifier,
  parseIdentifierReference,
  requireKnownIdentifiers,
  requireKnownPatterns,
} from './registry.ts';
export type { IdentifierReference } from './registry.ts';
export { DOCUMENT_KINDS, ONE_PAGE_KINDS } from './document.ts';
export { comparableText, equalForms, fold, howToState, statedForms } from './comparison.ts';
export {
  fingerprintedIdentifiers,
  fingerprintParts,
  fingerprintSlotsTouchedBy,
  searchKeys,
} from './fingerprints.ts';
export type { FingerprintKind, FingerprintSlot } from './fingerprints.ts';
export { REFUSED, Refusal, vaultDataNotValid } from './rule.ts';
export { maskFile } from './rule.ts';

/** The masked value for screens and the journal (contract §1.2); for an unknown identifier only its shape. */
export function maskValue(identifier: string, value: JsonValue): string {
  const mask = findIdentifier(identifier)?.rule.mask ?? shape;
  return mask(value);
}

/** How to store an upload: as a file under its canonical name, or as an ordinary value. */
export type UploadPlan =
  | { readonly as: 'file'; readonly identifier: string }
  /** `json`: the text is a JSON list, or one element of it. */
  | { readonly as: 'text' | 'json'; readonly identifier: string };

/**
 * Plans an upload to this identifier, before any of it is read (contract §2.7). Throws `invalid_request` for an unknown
 * identifier, and `T120` for one that accepts no upload or not this content type.
 */
export function planUpload(request: {
  kind: EntityKind;
  identifier: string;
  contentType: string;
}): UploadPlan {
  const identifier = getIdentifier(request.identifier);
  const refusal = refusalOf(identifier, request);
  if (refusal) throw vaultDataNotValid(new Map([[request.identifier, refusal]]));
  if (takesFiles(identifier)) return { as: 'file', identifier: identifier.canonical };
  return { as: identifier.storage === 'json' ? 'json' : 'text', identifier: identifier.name };
}

function refusalOf(
  identifier: Identifier,
  { kind, contentType }: { kind: EntityKind; contentType: string },
): Refusal | undefined {
  if (!identifier.belongsTo(kind)) return REFUSED.FAM;
  if (identifier.derived) return REFUSED.DRV;
  return identifier.acceptsContentType(contentType) ? undefined : REFUSED.MIME;
}

function takesFiles({ storage, family }: Identifier): boolean {
  return storage === 'file' || family === 'custom';
}

/** Whether the value of this canonical name can be a file. */
export function mayBeFile(name: string): boolean {
  const identifier = findIdentifier(name);
  return identifier !== undefined && takesFiles(identifier);
}

export interface DeleteRequest {
  readonly kind: EntityKind;
  readonly fields: readonly string[] | 'all';
  /** The stored names of the vault. */
  readonly stored: readonly string[];
}

export interface DeletePlan {
  remove: string[];
  /** True: it existed and is deleted. False: it was absent. */
  answer: Record<string, boolean>;
}

/**
 * Plans what a DELETE removes and returns (contract §2.17). Values derived from a removed source are removed, too.
 * Deleting a derived identifier without its source fails with `T120`, and nothing is deleted. Throws `invalid_request`
 * for an unknown identifier.
 */
export function planDelete({ kind, fields, stored }: DeleteRequest): DeletePlan {
  if (fields === 'all') {
    return {
      remove: [...stored],
      answer: Object.fromEntries(presentIdentifiers(stored).map((name) => [name, true])),
    };
  }
  const asked = new Map(fields.map((name) => [name, getIdentifier(name)]));
  const before = new Set(stored);
  const going = new Set([...asked.values()].map((identifier) => identifier.canonical));
  const isStored = (name: string): boolean => before.has(name);
  const staysStored = (name: string): boolean => before.has(name) && !going.has(name);
  const losesItsSource = ({ prefix, rule }: Identifier): boolean =>
    rule.origins.some(({ from }) => from.some((field) => going.has(prefix + field)));

  const problems = new Map<string, Refusal>();
  for (const [name, identifier] of asked) {
    if (!identifier.belongsTo(kind)) problems.set(name, REFUSED.FAM);
    else if (readingOf(name, staysStored) !== undefined) problems.set(name, REFUSED.DRV);
    else if (identifier.derived && !losesItsSource(identifier)) problems.set(name, REFUSED.DRV);
  }
  if (problems.size > 0) throw vaultDataNotValid(problems);

  return {
    remove: [...going].filter(isStored),
    answer: Object.fromEntries(
      [...asked.keys()].map((name) => [name, readingOf(name, isStored) !== undefined]),
    ),
  };
}
