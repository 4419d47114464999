/**
 * What an identifier asks of its input. This helps the person who types and is no validation: the service judges every value,
 * and what it says stands beside the field.
 */
export interface InputTraits {
  /** A type of <input>, or `textarea`, or how the text becomes a value: `list`, `json`, `number`. */
  readonly type: string;
  readonly inputMode?: string;
  /** What the browser may fill in. */
  readonly autocomplete: string;
  /** Content types of files. */
  readonly accept?: string;
  readonly hint?: string;
}

/** The identifiers that hold files for sure; `custom.*` may hold one, too. */
export const FILE_IDENTIFIER = /^document\.(custom\..+|finra_compliance_letter|.+\.image)$/;

/** The first that fits; text otherwise. What a custom identifier means, only its inventor knows. */
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

/**
 * What is about the person in front of the page. Nothing secret is filled in: no tax identifier, no card, no account.
 */
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

/** `type` overrules the type that the identifier has by itself. */
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

/** What was typed, as the value to send; undefined when it can't be one. */
export function readValue(type: string, text: string): unknown {
  switch (type) {
    case 'list':
      return text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
    case 'number':
      // What is no number goes as text, and the service says what it wants.
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
