/** Describes the attributes of a search in one line for people. */
import { READABLE_DATE, SEARCHED_BY_WORDS, type SearchedBy } from './search.ts';

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
  return `${unreadable}Looked for as ${all ?? 'nothing'}${needs.join('')}; not in addresses, notes or documents`;
}
