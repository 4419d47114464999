/** Resolves a text that is not an id to an entity, with a search that must find exactly one. */
import { ENVIRONMENTS, type Environment } from '../../nouns/entities/facts.ts';
import { PAGE_SIZE } from '../../contract/facts/limits.ts';
import { READABLE_DATE, SEARCH_LIMIT, type SearchedBy, searchedAs } from '../../nouns/search/facts.ts';
import type { Client } from '../../client/client.ts';
import { allPages } from '../../client/pages.ts';
import { searchEntities, type SearchResult } from '../../client/search.ts';
import type { DaemonAccess } from './daemon-access.ts';
import { nounOf, type LookUp, type NamedKind, type Naming } from './entity-names.ts';
import { CliError, UsageError } from './failure.ts';
import { readingProgress } from './reading-progress.ts';
import { defined } from '../../kernel/defined.ts';

type Found = SearchResult['data'][number];

/** Matches by these identify one entity. A part of a name or of an external id may match others later. */
const WHOLE: ReadonlySet<SearchedBy> = new Set([
  ...(['id', 'email', 'phone_number', 'tax_number', 'drivers_license_number'] as const),
]);
const LISTED = 5;

/** Throws UsageError if the search finds several entities, or one by a part only; CliError 6 if it finds none. */
export async function searchedId(
  text: string,
  { where, names: kind, takesParts = false }: Naming,
  { clients: [client, ...others], access, tenant: named, isLive, showsProgress }: LookUp,
): Promise<string> {
  // A command for both environments searches both.
  const isBoth = others.length > 0;
  const own = named === undefined ? await spaceOfKey(client, await access(), isLive && !isBoth) : undefined;
  const tenant = own?.tenant ?? named;
  if (text.trim() === '') throw new UsageError(`${where} is empty`);
  if (text.length > SEARCH_LIMIT)
    throw new UsageError(`${where} is longer than a search may be: ${SEARCH_LIMIT} characters`);
  const environments = isBoth ? ENVIRONMENTS : [own?.environment ?? (isLive ? 'live' : 'sandbox')];
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
    throw new CliError(`${where} is not an id, and a part of it can't be read as a date`, {
      code: 'not_found',
      hint: `say ${READABLE_DATE}, or leave it out`,
    });
  const found = results.flatMap(({ data }) => data);
  const count = results.reduce((sum, { meta }) => sum + meta.count, 0);
  const whole = found.filter((item) => isWhole(item, text));
  const [only] = whole.length > 0 ? whole : takesParts ? found : [];
  // If there is more than one page, further pages may contain other matches.
  const isOne = count === found.length && (whole.length === 1 || (whole.length === 0 && count === 1));
  if (only !== undefined && isOne) return only.id;
  if (found.length === 0) throw nobody(where, kind, results);
  const listed = whole.length > 0 ? whole : found;
  const all = whole.length > 0 && count === found.length ? whole.length : count;
  throw new UsageError(
    all === 1
      ? `${where} takes no names or parts, because they may match others later; this matches one ${nounOf(kind)}: ${describe(listed)}`
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

function nobody(where: string, kind: NamedKind, [result]: readonly SearchResult[]): CliError {
  const how = result && searchedAs(result.searched_by, result.too_short);
  return new CliError(`${where} is not an id, and the search finds no ${nounOf(kind)}`, {
    code: 'not_found',
    ...defined({ hint: how }),
  });
}

/**
 * The tenant and environment of an API key from the environment, which may differ from `default`. Finds the key by its
 * prefix, which is compared locally: the key isn't sent. Undefined for keys of this user's instances, which belong to
 * `default`; without the control token; and if keys of several tenants or environments match. Throws what the client
 * throws.
 */
export async function spaceOfKey(
  client: Client,
  { locator, keys, controlToken }: DaemonAccess,
  isLive: boolean,
): Promise<{ readonly tenant: string; readonly environment: Environment } | undefined> {
  const key = isLive ? keys.live : keys.sandbox;
  if (locator !== undefined || controlToken === undefined || key === undefined) return undefined;
  const all = await allPages((page) => client.call('GET /_kyclone/api-keys', { query: page }));
  const matching = all.filter(({ prefix }) => key.startsWith(prefix));
  const [first] = matching;
  const isOne = matching.every(
    ({ tenant, environment }) => tenant === first?.tenant && environment === first.environment,
  );
  return first && isOne ? { tenant: first.tenant, environment: first.environment } : undefined;
}
