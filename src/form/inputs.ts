/** What an identifier says about its field: the input for it, and how a decrypted value is shown. */

/**
 * The input type that suits each identifier. This helps the person who types and is no validation: the service checks
 * every value, and its message appears beside the field.
 */
export interface InputTraits {
  /** A type of <input>, `textarea`, or a conversion of the text to a value: `list`, `json`, `number`. */
  readonly type: string;
  readonly inputMode?: string;
  /** The autofill hint for the browser. */
  readonly autocomplete: string;
  /** Accepted content types of files. */
  readonly accept?: string;
  readonly hint?: string;
}

/** The identifiers that always hold files; `custom.*` may hold one, too. */
export const FILE_IDENTIFIER = /^document\.(custom\..+|finra_compliance_letter|.+\.image)$/;

/** The first match counts; the default is text. The meaning of custom identifiers is unknown. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [FILE_IDENTIFIER, 'file'],
  [/^custom\./, 'text'],
  [/\.(dob|visa_expiration_date|formation_date|expires_at|issued_at)$/, 'date'],
  [/\.email$/, 'email'],
  [/\.phone_number$/, 'tel'],
  [/beneficial_owners$/, 'json'],
  [/\.ownership_stake$/, 'number'],
  [
    /\.(citizenships|investment_goals|declarations|senior_executive_symbols|family_member_names|funding_sources)$/,
    'list',
  ],
];
const DIGITS_ONLY =
  /^(id\.(ssn9|ssn4|itin|us_tax_id)|business\.tin|card\.[^.]+\.(number|cvc)|bank\.[^.]+\.ach_(routing|account)_number)$/;
const COUNTRY = /^(?!custom).*\.(country|nationality)$/;
const CARD_EXPIRATION = /^card\.[^.]+\.expiration$/;

/** Data about the person at the page. Sensitive values are never autofilled: no tax identifier, no card, no account. */
const AUTOCOMPLETE: ReadonlyMap<string, string> = new Map([
  ['id.first_name', 'given-name'],
  ['id.middle_name', 'additional-name'],
  ['id.last_name', 'family-name'],
  ['id.dob', 'bday'],
  ['id.email', 'email'],
  ['id.phone_number', 'tel'],
  ['id.address_line1', 'address-line1'],
  ['id.address_line2', 'address-line2'],
  ['id.city', 'address-level2'],
  ['id.state', 'address-level1'],
  ['id.zip', 'postal-code'],
  ['id.country', 'country'],
]);

const HINTS: ReadonlyMap<string, string> = new Map([
  ['list', 'Separate several by commas'],
  ['json', 'JSON'],
  ['tel', 'With country code, such as +1 555 555 0100'],
]);

/** `type` overrides the default of the identifier. */
export function inputTraits(identifier: string, type?: string): InputTraits {
  const own = TYPES.find(([pattern]) => pattern.test(identifier))?.[1] ?? 'text';
  const chosen = type ?? own;
  const hint = hintOf(identifier, chosen);
  return {
    type: chosen,
    autocomplete: AUTOCOMPLETE.get(identifier) ?? 'off',
    ...(chosen === 'number' && { inputMode: 'decimal' }),
    ...(DIGITS_ONLY.test(identifier) && { inputMode: 'numeric' }),
    ...(own === 'file' && chosen === 'file' && acceptOf(identifier)),
    ...(hint !== undefined && { hint }),
  };
}

function acceptOf(identifier: string): { accept?: string } {
  if (identifier.startsWith('document.custom.')) return {};
  return { accept: identifier.endsWith('.image') ? 'image/*,application/pdf' : 'application/pdf' };
}

function hintOf(identifier: string, type: string): string | undefined {
  if (COUNTRY.test(identifier)) return 'Two letters, such as US';
  if (CARD_EXPIRATION.test(identifier)) return 'MM/YYYY';
  return HINTS.get(type);
}

/** Converts the typed text to the value to send; undefined when it can't be converted. */
export function readValue(type: string, text: string): unknown {
  switch (type) {
    case 'list':
      return text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
    case 'number':
      // A text that is no number is sent as text, and the service explains what it expects.
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return undefined;
      }
    default:
      return text;
  }
}

/** How to display a decrypted value. */
type Shown =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly url: string }
  | { readonly kind: 'file'; readonly base64: string };

/** The first base64 characters of each picture format. SVG is left out because it is an active document. */
const PICTURES: readonly (readonly [start: string, contentType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** Text that looks like a picture stays text: only file identifiers always hold files. */
export function shownAs(identifier: string, value: unknown): Shown {
  if (value === null || value === undefined) return { kind: 'nothing' };
  if (typeof value !== 'string') return { kind: 'text', text: JSON.stringify(value) };
  if (!FILE_IDENTIFIER.test(identifier)) return { kind: 'text', text: value };
  const picture = PICTURES.find(([start]) => value.startsWith(start));
  if (picture) return { kind: 'picture', url: `data:${picture[1]};base64,${value}` };
  return { kind: 'file', base64: value };
}
