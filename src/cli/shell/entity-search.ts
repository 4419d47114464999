/** Resolves a text that is not an id to an entity, with a search that must find exactly one. */
import { ENVIRONMENTS } from '../../nouns/entities/facts.ts';
import { PAGE_SIZE } from '../../contract/facts/limits.ts';
import { READABLE_DATE, SEARCH_LIMIT, type SearchedBy, searchedAs } from '../../nouns/search/facts.ts';
import type { Client } from '../../client/client.ts';
import { searchEntities, type SearchResult } from '../../client/search.ts';
import type { NamedKind } from './entity-names.ts';
import { CliError, UsageError } from './failure.ts';
import { readingProgress } from './reading-progress.ts';
import { defined } from '../../kernel/defined.ts';

type Found = SearchResult['data'][number];

/** Matches by these identify one entity. A part of a name or of an external id may match others later. */
const WHOLE: ReadonlySet<SearchedBy> = new Set([
  ...(['id', 'email', 'phone_number', 'tax_number', 'drivers_license_number'] as const),
]);
const LISTED = 5;

interface Searching {
  readonly where: string;
  readonly kind: NamedKind;
  readonly takesParts: boolean;
  readonly tenant: string | undefined;
  /** Undefined means both environments. */
  readonly isLive: boolean | undefined;
  readonly showsProgress: boolean;
}

/** Throws UsageError if the search finds several entities, or one by a part only; CliError 6 if it finds none. */
export async function searchedId(client: Client, text: string, searching: Searching): Promise<string> {
  const { where, kind, takesParts, tenant, isLive, showsProgress } = searching;
  if (text.trim() === '') throw new UsageError(`${where} is empty`);
  if (text.length > SEARCH_LIMIT)
    throw new UsageError(`${where} is longer than a search may be: ${SEARCH_LIMIT} characters`);
  const environments =
    isLive === undefined ? ENVIRONMENTS : [isLive ? ('live' as const) : ('sandbox' as const)];
  const progress = readingProgress(showsProgress);
  const body = { search: text, ...(kind !== 'entity' && { kind }), page_size: PAGE_SIZE.most };
  const results: SearchResult[] = [];
  try {
    for (const environment of environments)
      results.push(await searchEntities(client, { query: { tenant, environment }, body }, progress.update));
  } finally {
    progress.end();
  }
  // The other words alone may find somebody else.
  if (results.some(({ too_short }) => too_short.some(({ needs }) => needs === READABLE_DATE)))
    throw nobody(where, kind === 'entity' ? 'user or business' : kind, results);
  const found = results.flatMap(({ data }) => data);
  const count = results.reduce((sum, { meta }) => sum + meta.count, 0);
  const whole = found.filter((item) => isWhole(item, text));
  const [only] = whole.length > 0 ? whole : takesParts ? found : [];
  // If there is more than one page, further pages may contain other matches.
  const isOne = count === found.length && (whole.length === 1 || (whole.length === 0 && count === 1));
  if (only !== undefined && isOne) return only.id;
  const noun = kind === 'entity' ? 'user or business' : kind;
  if (found.length === 0) throw nobody(where, noun, results);
  const listed = whole.length > 0 ? whole : found;
  const all = whole.length > 0 && count === found.length ? whole.length : count;
  throw new UsageError(
    all === 1
      ? `${where} takes no names or parts, because they may match others later; this matches one ${noun}: ${describe(listed)}`
      : `${where} matches ${all}: ${describe(listed)}${all > LISTED ? ', and more' : ''}`,
    'choose one by its id, e-mail address or phone number',
  );
}

function isWhole({ matched, sandbox_id }: Found, text: string): boolean {
  return matched.some((by) => WHOLE.has(by)) || sandbox_id === text;
}

function describe(found: readonly Found[]): string {
  return found
    .slice(0, LISTED)
    .map(({ id, masked_name, status }) => `${id} (${[masked_name ?? 'no name', status].join(', ')})`)
    .join(', ');
}

function nobody(where: string, noun: string, [result]: readonly SearchResult[]): CliError {
  const how = result && searchedAs(result.searched_by, result.too_short);
  return new CliError(`${where} is not an id, and the search finds no ${noun}`, {
    code: 'not_found',
    ...defined({ hint: how }),
  });
}
