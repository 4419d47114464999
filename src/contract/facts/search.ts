/** Words of the search for people and businesses (contract §11). */

/** By what somebody is looked for. */
export const SEARCHED_BY = [
  ...['id', 'external_id', 'sandbox_id', 'name', 'email', 'phone_number', 'date_of_birth'],
  ...['tax_number', 'tax_number_end', 'drivers_license_number', 'label', 'tag', 'status', 'review'],
] as const;
export type SearchedBy = (typeof SEARCHED_BY)[number];

/** What is looked for by these is read out of vaults: such a search is an entry of the access log. */
export const SENSITIVE_SEARCHES: ReadonlySet<SearchedBy> = new Set([
  ...(['name', 'email', 'phone_number', 'date_of_birth'] as const),
  ...(['tax_number', 'tax_number_end', 'drivers_license_number'] as const),
]);

/** How many characters a search may have. */
export const SEARCH_LIMIT = 256;

/** The words that a search may name what it is about by: `tag:vip`, `name:doe`. */
export const SEARCH_WORDS: Readonly<Record<string, SearchedBy>> = {
  ...{ id: 'id', external: 'external_id', sandbox: 'sandbox_id', name: 'name', email: 'email' },
  ...{ phone: 'phone_number', dob: 'date_of_birth', tax: 'tax_number', label: 'label', tag: 'tag' },
  ...{ status: 'status', review: 'review' },
} as const;

/** As people say it. */
export const SEARCHED_BY_WORDS: Readonly<Record<SearchedBy, string>> = {
  ...{ id: 'id', external_id: 'external id', sandbox_id: 'sandbox id', name: 'name', email: 'e-mail' },
  ...{ phone_number: 'phone', date_of_birth: 'date of birth', tax_number: 'tax number' },
  ...{ tax_number_end: 'end of tax number', drivers_license_number: "driver's license" },
  ...{ label: 'label', tag: 'tag', status: 'status', review: 'review' },
};

/** Nine digits, parted or not, that are no part of a longer number. */
const TAX_NUMBERS = /(?<!\d[-. ]?)(?:\d[-. ]?){5}(\d{4})(?![-. ]?\d)/g;

/** Whether a text may hold a whole tax number: such a text is shown masked once it was entered. */
export function mayBeTaxNumber(text: string): boolean {
  return maskedSearch(text) !== text;
}

/** What was searched for as a screen shows it afterwards. */
export function maskedSearch(text: string): string {
  return text.replace(TAX_NUMBERS, '*****$1');
}
