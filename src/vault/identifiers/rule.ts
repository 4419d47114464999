/** What a rule of an identifier is made of: how its values are read, masked and refused. */
import type { IdentifierFamily, ValueKind } from '../../nouns/vault/facts.ts';
import type { EntityKind } from '../../nouns/entities/facts.ts';
import { ExactNumber, jsonText, type JsonValue } from '../../kernel/text/json.ts';
import { REFUSAL_TEXTS } from '../../contract/facts/refusals.ts';
import { ServiceError } from '../../kernel/errors.ts';

/**
 * Masks of contract §1.2. They accept any submitted value, including invalid ones: a mask never fails, and reveals no
 * more of a malformed value than of a valid one.
 */
export type Mask = (value: JsonValue) => string;

const HIDDEN = '***';
const TAIL = 4;

/** J: type and size only. */
export const shape: Mask = (value) => {
  if (value === null) return '<null>';
  if (Array.isArray(value)) return `<list ${value.length}>`;
  if (value instanceof ExactNumber) return '<number>';
  if (typeof value === 'object') return `<object ${Object.keys(value).length}>`;
  return `<${typeof value}>`;
};

/** For typed text: a number is masked as its text, anything else shows its shape only. */
function ofText(mask: (text: string) => string): Mask {
  return (value) => {
    if (typeof value === 'string') return mask(value);
    return typeof value === 'number' ? mask(String(value)) : shape(value);
  };
}

function hideAfterFirst(text: string): string {
  const [first = ''] = text;
  return first + HIDDEN;
}

/** N: first character. */
export const firstCharacter: Mask = ofText(hideAfterFirst);

/** 4: the last four characters; a value with up to four shows none. */
export const lastFour: Mask = ofText((text) => {
  const end = Array.from(text.slice(-2 * TAIL - 1));
  return end.length > TAIL ? HIDDEN + end.slice(-TAIL).join('') : HIDDEN;
});

/** Y: the year. */
export const yearOnly: Mask = ofText((text) =>
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? `${text.slice(0, 4)}-**-**` : HIDDEN,
);

/** E: first character and domain. */
export const domainOnly: Mask = ofText((text) => {
  const at = text.indexOf('@');
  const isOneAddress = at >= 0 && at === text.lastIndexOf('@');
  return hideAfterFirst(text) + (isOneAddress ? text.slice(at) : '');
});

/** F: nothing, not even the length. */
export const hidden: Mask = () => '******';

/** S: unmasked; a value that is no string as compact JSON. */
export const shown: Mask = (value) => (typeof value === 'string' ? value : jsonText(value));

/** N for each element of a list. */
export const firstCharacterOfEach: Mask = (value) =>
  Array.isArray(value) ? JSON.stringify(value.map(firstCharacter)) : firstCharacter(value);

/** B: type, without its parameters, and size of a stored file. */
export function maskFile(contentType: string, bytes: number): string {
  return `<${mediaTypeOf(contentType)} ${bytes} bytes>`;
}

function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim();
}

/** S for a content type: without its parameters, which may contain a file name. */
export const mediaTypeOnly: Mask = ofText(mediaTypeOf);

/**
 * The reason why a submitted value is refused. Cleaners return it instead of throwing, so that all problems are
 * reported at once.
 */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The same reason with what was found, which must not be a part of the value (contract §1.1). */
export function withFound({ reason }: Refusal, found: string | undefined): Refusal {
  return new Refusal(found === undefined ? reason : `${reason}: ${found}`);
}

/** The context messages of contract §1.1, by tag. */
export const REFUSED = Object.fromEntries(
  Object.entries(REFUSAL_TEXTS).map(([tag, text]) => [tag, new Refusal(text)]),
) as Record<keyof typeof REFUSAL_TEXTS, Refusal>;

const NAMED_IN_MESSAGE = 20;

/** `T120` with one context entry for each invalid identifier; the message names the first 20 (contract §1.1). */
export function vaultDataNotValid(problems: ReadonlyMap<string, Refusal>): ServiceError {
  const named = [...problems.keys()].slice(0, NAMED_IN_MESSAGE).join(', ');
  const context = Object.fromEntries([...problems].map(([name, refusal]) => [name, refusal.reason]));
  return new ServiceError('T120', `Vault data is not valid: ${named}`, { context });
}

export type { EntityKind };
export type Family = IdentifierFamily;
/** How an ordinary write stores a datum. An upload may also store `custom.*` as a file. */
export type Storage = ValueKind;

/** What a cleaner needs to know about the request. */
export interface CleaningContext {
  readonly isLive: boolean;
  /** Header `x-fp-ignore-luhn-validation`. */
  readonly skipLuhn: boolean;
  /** The same request sets the entity's country to US, so its state must be a US state. */
  readonly isInUnitedStates: boolean;
}

/** Returns the value to store, or the reason for a refusal. Idempotent. */
export type Cleaner = ((value: JsonValue, situation: CleaningContext) => JsonValue | Refusal) & InWords;

export interface InWords {
  /** What it accepts and how it normalises it, for documentation; undefined if the row implies it. */
  readonly words?: string;
}

/** Adds a description to a cleaner. */
export function inWords<Clean extends object>(
  words: string,
  clean: Clean,
): Clean & { readonly words: string } {
  return Object.assign(clean, { words });
}

export interface Derive {
  /** Lower-case hex of the tenant's keyed fingerprint (contract §1.2). */
  fingerprint(kind: string, parts: readonly string[]): string;
}

export type Compute = (values: readonly JsonValue[], derive: Derive) => JsonValue;

/** One way to derive an identifier from others with its prefix. */
export interface Origin {
  /** Names without the prefix. */
  readonly from: readonly string[];
  /** Undefined: the first source's value, unchanged. */
  readonly compute?: Compute;
  /** The value is the content type of the stored source file. */
  readonly contentTypeOf?: true;
}

/** One row of a family's table. */
export interface IdentifierRule {
  readonly family: Family;
  readonly kinds: readonly EntityKind[];
  readonly storage: Storage;
  readonly clean: Cleaner;
  readonly mask: Mask;
  /** Never stored: computed when it is read, refused when it is written. */
  readonly derived: boolean;
  /** The stored name without the prefix, for an alias. */
  readonly aliasOf?: string;
  /** Ways to derive it, best first; empty when it is only stored. */
  readonly origins: readonly Origin[];
  /** Names, without the prefix, of identifiers derived from this one. */
  readonly derives: readonly string[];
  /** Whether an upload of this content type, without parameters and in lower case, is allowed. */
  readonly accepts: (mediaType: string) => boolean;
}

type Defaults = Pick<IdentifierRule, 'family' | 'kinds' | 'storage'>;
/** A row in a table; the family supplies members that are left out. */
export type RuleShorthand = Pick<IdentifierRule, 'clean' | 'mask'> & Partial<IdentifierRule>;

/** Completes the rows of one family and inverts their origins into `derives`. */
export function familyTable(
  defaults: Defaults,
  rows: Readonly<Record<string, RuleShorthand>>,
): ReadonlyMap<string, IdentifierRule> {
  const derives = readableFrom(rows);
  return new Map(
    Object.entries(rows).map(([field, row]) => [
      field,
      {
        ...defaults,
        derived: false,
        origins: [],
        accepts: () => true,
        ...row,
        derives: [...(derives.get(field) ?? [])],
      },
    ]),
  );
}

/** Names by the source from which they can be derived; in one pass, since every start runs this. */
function readableFrom(
  rows: Readonly<Record<string, RuleShorthand>>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const [field, { origins = [], aliasOf }] of Object.entries(rows)) {
    if (aliasOf !== undefined) continue;
    for (const source of origins.flatMap(({ from }) => from)) {
      if (source === field) continue;
      const fields = found.get(source);
      if (fields === undefined) found.set(source, new Set([field]));
      else fields.add(field);
    }
  }
  return found;
}

/** The same row under several names. */
export function each(fields: readonly string[], row: RuleShorthand): Record<string, RuleShorthand> {
  return Object.fromEntries(fields.map((field) => [field, row]));
}

/** A read-only row, computed from others of its prefix. */
export function derivedRow(mask: Mask, origin: Origin): RuleShorthand {
  return { clean: () => REFUSED.DRV, mask, derived: true, origins: [origin] };
}

/** A source that must be text for a derivation; any other value under that name is a bug. */
export function sourceText(values: readonly JsonValue[], index = 0): string {
  const value = values[index];
  if (typeof value !== 'string') throw new TypeError('a derivation needs the text of its source');
  return value;
}

/** A name with its row of the table. */
export class Identifier {
  readonly name: string;
  readonly prefix: string;
  readonly rule: IdentifierRule;

  constructor(name: string, prefix: string, rule: IdentifierRule) {
    this.name = name;
    this.prefix = prefix;
    this.rule = rule;
  }

  /** The stored name, which differs for aliases such as `document.ssn_card.image`. */
  get canonical(): string {
    return this.rule.aliasOf === undefined ? this.name : this.prefix + this.rule.aliasOf;
  }

  get family(): Family {
    return this.rule.family;
  }

  get storage(): Storage {
    return this.rule.storage;
  }

  /** Always derived, read-only. `id.us_tax_id` is not: writing it writes its source. */
  get derived(): boolean {
    return this.rule.derived;
  }

  belongsTo(kind: EntityKind): boolean {
    return this.rule.kinds.includes(kind);
  }

  /** Whether an upload with this `content-type` is allowed (contract §1.6, MIME). */
  acceptsContentType(contentType: string): boolean {
    return this.rule.accepts(mediaTypeOf(contentType).toLowerCase());
  }
}

/** What others may know of an identifier: everything but its rule. */
export type IdentifierDescription = Omit<Identifier, 'prefix' | 'rule'>;
