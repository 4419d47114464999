import { DOCUMENT_KINDS } from './document.ts';
import { findIdentifier, getIdentifier } from './registry.ts';
import { withoutSeparators } from './text-rules.ts';

/**
 * The recipes of the blind indexes (contract §1.2, §6): which identifiers are fingerprinted, and in which form. Two
 * entities share an attribute when they have an equal fingerprint of the same kind.
 */
export type FingerprintKind = keyof typeof RECIPES;

/** One possible index row of an entity. */
export interface FingerprintSlot {
  readonly kind: FingerprintKind;
  /** Empty, or the part that distinguishes several rows of a kind: an alias, a document kind, `id`. */
  readonly slot: string;
  /** The identifiers to read, including derived ones. */
  readonly needs: readonly string[];
}

/** NFKC, lower-case, inner white space collapsed to one blank, trimmed. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}

type Recipe = (values: readonly (string | undefined)[], slot: string) => (string | undefined)[];

const asTheyAre: Recipe = (values) => [...values];

function foldNames([first, last, other]: readonly (string | undefined)[]): (string | undefined)[] {
  return [first && fold(first), last && fold(last), other];
}

const RECIPES = {
  ssn9: asTheyAre,
  itin: asTheyAre,
  email: ([address]) => [address?.toLowerCase()],
  phone_number: asTheyAre,
  drivers_license_number: asTheyAre,
  name_dobname: foldNames,
  name_ssn4: foldNames,
  dob_ssn4: asTheyAre,
  bank_routing_account: asTheyAre,
  card_number_cvc: asTheyAre,
  identity_document_number: ([number, place = ''], slot) => {
    const cleaned = number === undefined ? '' : withoutSeparators(number).toUpperCase();
    const parts = slot === LICENSE_SLOT ? [place] : [slot, place];
    return [cleaned === '' ? undefined : cleaned, ...parts];
  },
  selfie: asTheyAre,
} satisfies Record<string, Recipe>;

const LICENSE_SLOT = 'id';

const FIXED_SLOTS: readonly FingerprintSlot[] = [
  { kind: 'ssn9', slot: '', needs: ['id.ssn9'] },
  { kind: 'itin', slot: '', needs: ['id.itin'] },
  { kind: 'email', slot: '', needs: ['id.email'] },
  { kind: 'phone_number', slot: '', needs: ['id.phone_number'] },
  { kind: 'drivers_license_number', slot: '', needs: ['id.drivers_license_number'] },
  { kind: 'name_dobname', slot: '', needs: ['id.first_name', 'id.last_name', 'id.dob'] },
  { kind: 'name_ssn4', slot: '', needs: ['id.first_name', 'id.last_name', 'id.ssn4'] },
  { kind: 'dob_ssn4', slot: '', needs: ['id.dob', 'id.ssn4'] },
  {
    kind: 'identity_document_number',
    slot: LICENSE_SLOT,
    needs: ['id.drivers_license_number', 'id.drivers_license_state'],
  },
  ...DOCUMENT_KINDS.map((kind): FingerprintSlot => ({
    kind: 'identity_document_number',
    slot: kind,
    needs: [`document.${kind}.document_number`, `document.${kind}.issuing_country`],
  })),
  ...DOCUMENT_KINDS.map((kind): FingerprintSlot => ({
    kind: 'selfie',
    slot: kind,
    needs: [`document.${kind}.selfie.image`],
  })),
];

/** Families with one slot for each alias: prefix, kind, fields. */
const ALIASED_SLOTS = [
  { start: 'card.', kind: 'card_number_cvc', fields: ['number', 'cvc'] },
  { start: 'bank.', kind: 'bank_routing_account', fields: ['ach_routing_number', 'ach_account_number'] },
] as const;

/** Stored names that determine a needed identifier: itself and its sources. */
function decidersOf(need: string): Set<string> {
  const { prefix, rule } = getIdentifier(need);
  return new Set([need, ...rule.origins.flatMap(({ from }) => from.map((field) => prefix + field))]);
}

const SLOTS_BY_NAME: ReadonlyMap<string, readonly FingerprintSlot[]> = (() => {
  const byName = new Map<string, FingerprintSlot[]>();
  for (const slot of FIXED_SLOTS) {
    for (const name of new Set(slot.needs.flatMap((need) => [...decidersOf(need)]))) {
      byName.set(name, [...(byName.get(name) ?? []), slot]);
    }
  }
  return byName;
})();

function aliasedSlot(name: string): FingerprintSlot | undefined {
  const family = ALIASED_SLOTS.find(({ start }) => name.startsWith(start));
  if (family === undefined) return undefined;
  const dot = name.indexOf('.', family.start.length);
  if (!(family.fields as readonly string[]).includes(name.slice(dot + 1))) return undefined;
  const needs = family.fields.map((field) => name.slice(0, dot + 1) + field);
  return { kind: family.kind, slot: name.slice(family.start.length, dot), needs };
}

/** The index rows to recompute when these stored identifiers change, without duplicates. */
export function fingerprintSlotsTouchedBy(changed: Iterable<string>): FingerprintSlot[] {
  const touched = new Map<string, FingerprintSlot>();
  for (const name of changed) {
    const fixed = SLOTS_BY_NAME.get(name);
    const aliased = fixed === undefined ? aliasedSlot(name) : undefined;
    for (const slot of fixed ?? (aliased ? [aliased] : [])) touched.set(`${slot.kind} ${slot.slot}`, slot);
  }
  return [...touched.values()];
}

/** The identifiers that an index row is made of; none for an attribute of a device. */
export function fingerprintedIdentifiers(kind: string, slot: string): readonly string[] {
  const fixed = FIXED_SLOTS.find((each) => each.kind === kind && each.slot === slot);
  const aliased = ALIASED_SLOTS.find((each) => each.kind === kind);
  return fixed?.needs ?? aliased?.fields.map((field) => `${aliased.start}${slot}.${field}`) ?? [];
}

/**
 * The normalised parts to fingerprint; undefined when an essential one is absent, so that the entity has no such row.
 * `read` returns current values, including derived ones (see `readingOf`), and for a file its SHA-256 in hex.
 */
export function fingerprintParts(
  slot: FingerprintSlot,
  read: (identifier: string) => string | undefined,
): string[] | undefined {
  const recipe: Recipe = RECIPES[slot.kind];
  const parts = recipe(slot.needs.map(read), slot.slot);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** The searchable identifiers; each is the only part of its kind. `id.us_tax_id` is found through the first two. */
export const SEARCHED: readonly (readonly [kind: FingerprintKind, identifier: string])[] = [
  ['ssn9', 'id.ssn9'],
  ['itin', 'id.itin'],
  ['email', 'id.email'],
  ['phone_number', 'id.phone_number'],
  ['drivers_license_number', 'id.drivers_license_number'],
];

/** The look-ups for a search text: one for each searchable identifier whose rule accepts it. */
export function searchKeys(text: string): { kind: FingerprintKind; parts: string[] }[] {
  const situation = { isLive: false, skipLuhn: false, isInUnitedStates: false };
  return SEARCHED.flatMap(([kind, identifier]) => {
    const cleaned = findIdentifier(identifier)?.rule.clean(text, situation);
    if (typeof cleaned !== 'string') return [];
    const parts = fingerprintParts({ kind, slot: '', needs: [identifier] }, () => cleaned);
    return parts === undefined ? [] : [{ kind, parts }];
  });
}
