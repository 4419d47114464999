/** Words of the search for people and businesses (contract §11). */
import { hasIdForm } from '../../kernel/ids/ids.ts';

/** The searchable attributes, in words for people. */
export const SEARCHED_BY_WORDS = {
  id: 'id',
  external_id: 'external id',
  sandbox_id: 'sandbox id',
  name: 'name',
  email: 'e-mail',
  phone_number: 'phone',
  date_of_birth: 'date of birth',
  tax_number: 'tax number',
  tax_number_end: 'end of tax number',
  drivers_license_number: "driver's license",
  label: 'label',
  tag: 'tag',
  status: 'status',
  review: 'review',
} as const;
export type SearchedBy = keyof typeof SEARCHED_BY_WORDS;
export const SEARCHED_BY = Object.keys(SEARCHED_BY_WORDS) as readonly SearchedBy[];

/** These searches read vaults, so they are recorded in the access log. */
export const SENSITIVE_SEARCHES: ReadonlySet<SearchedBy> = new Set([
  ...(['name', 'email', 'phone_number', 'date_of_birth'] as const),
  ...(['tax_number', 'tax_number_end', 'drivers_license_number'] as const),
]);

/** The longest search, in characters. */
export const SEARCH_LIMIT = 256;

/** What a text that looks like a date, and is none, lacks. */
export const READABLE_DATE = 'a date of the calendar, such as 30 Dec 1988, 12/30/1988 or 1988-12-30';

/** Prefixes that restrict a search to one attribute: `tag:vip`, `name:doe`. */
export const SEARCH_WORDS: Readonly<Record<string, SearchedBy>> = {
  id: 'id',
  external: 'external_id',
  sandbox: 'sandbox_id',
  name: 'name',
  email: 'email',
  phone: 'phone_number',
  dob: 'date_of_birth',
  tax: 'tax_number',
  label: 'label',
  tag: 'tag',
  status: 'status',
  review: 'review',
} as const;

const TERM = /\b([a-z]{2,8}):(?:"[^"]*"|[^\s"]+)/gi;

/**
 * Whether the daemon may read vaults for a search, and so record it in the access log. False for an id of ours and for
 * terms about attributes outside the vault, such as `tag:vip status:none`.
 */
export function mayReadVaults(text: string): boolean {
  const rest = text.replace(TERM, (term, word: string) => {
    const by = SEARCH_WORDS[word.toLowerCase()];
    return by === undefined || SENSITIVE_SEARCHES.has(by) ? term : '';
  });
  return rest.trim() !== '' && !hasIdForm(rest.trim());
}

/** Nine digits, with or without separators, that are not part of a longer number. */
const TAX_NUMBERS = /(?<!\d[-. ]?)(?:\d[-. ]?){5}(\d{4})(?![-. ]?\d)/g;

/** Whether a text may contain a complete tax number; such a text is masked after it was entered. */
export function mayBeTaxNumber(text: string): boolean {
  return maskedSearch(text) !== text;
}

/** The text of a search as a screen shows it afterwards. */
export function maskedSearch(text: string): string {
  return text.replace(TAX_NUMBERS, '*****$1');
}

// Describes the attributes of a search in one line for people.

interface TooShort {
  readonly searched_by: SearchedBy;
  readonly needs: string;
}

/** `Looked for as name, external id or tag; not in addresses, notes or documents`. */
export function searchedAs(by: readonly SearchedBy[], tooShort: readonly TooShort[]): string {
  const words = by.map((each) => SEARCHED_BY_WORDS[each]);
  const last = words.pop();
  const all = words.length === 0 ? last : `${words.join(', ')} or ${last}`;
  const needs = tooShort.map(({ searched_by, needs: what }) =>
    what === READABLE_DATE ? '' : `; as ${SEARCHED_BY_WORDS[searched_by]} it needs ${what}`,
  );
  const unreadable = tooShort.some(({ needs: what }) => what === READABLE_DATE)
    ? `A part can't be read as a date: say ${READABLE_DATE}. `
    : '';
  const done = all === undefined ? 'Nothing was looked for' : `Looked for as ${all}`;
  const isNowhere = all === undefined ? '' : '; not in addresses, notes or documents';
  return `${unreadable}${done}${needs.join('')}${isNowhere}`;
}
