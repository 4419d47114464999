/** Searches users and businesses, and lists those awaiting a review: shared flags, help and views. */
import { string as stringArg } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { SEARCHED_BY_WORDS, searchedAs } from '../../search/facts.ts';
import type { EntityKind } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Client } from '../../../client/client.ts';
import { searchEntities, type SearchResult } from '../../../client/search.ts';
import { nonEmpty, pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../../cli/shell/flags.ts';
import { listView, shortTime } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { readingProgress } from '../../../cli/shell/reading-progress.ts';
import { defined } from '../../../kernel/defined.ts';

export type Reviews = AnswerOf<'GET /_kyclone/reviews'>;

export const SEARCH_DESCRIPTION =
  'Looks for an id or external id (also a part of one), a name or the beginning of one, an e-mail address, a phone ' +
  'number as people write it, a date of birth, a tax number or its last four digits, a label, a tag or a status; ' +
  'word:text limits the kind, such as name:doe or review:needed, and several may be given at once, as in "doe (415) ' +
  '555-0100". Shows only masks. A search by personal data is recorded in the access log, without the text ' +
  'searched for. By default the text is asked for without echo: everyone who lists processes can see the command line, ' +
  'and it stays in the history of the shell.';

export const searchArgs = {
  text: stringArg({ description: 'what is known: @FILE, - for stdin, ? for a prompt', default: '?' }),
};
export const searchFlags = { ...pageFlags, ...spaceFlags };

export const reviewFlags = {
  review: boolean({ summary: 'those awaiting a review, longest first, and why', exclusive: ['external-id'] }),
  tenant: nonEmpty({ summary: 'with --review, the tenant (default: "default")', helpValue: 'NAME' }),
};

interface Space {
  readonly tenant?: string | undefined;
  readonly live: boolean;
}
interface Paging {
  readonly cursor?: string | undefined;
  readonly 'page-size'?: number | undefined;
}

/** Throws what the client throws. */
export async function searchOf(
  client: Client,
  search: { readonly text: string; readonly kind: EntityKind; readonly showsProgress: boolean },
  flags: Space & Paging,
): Promise<SearchResult> {
  const { cursor, page_size } = pageQuery(flags);
  const progress = readingProgress(search.showsProgress);
  const body = { search: search.text, kind: search.kind, ...defined({ cursor, page_size }) };
  return await searchEntities(client, { query: spaceQuery(flags), body }, progress.update).finally(
    progress.end,
  );
}

/** Throws what the client throws. */
export async function reviewsOf(client: Client, kind: EntityKind, flags: Space & Paging): Promise<Reviews> {
  const query = { ...spaceQuery(flags), kind, ...pageQuery(flags) };
  return await client.call('GET /_kyclone/reviews', { query });
}

const foundView = listView<SearchResult>('None found', [
  ['ID', 'id'],
  ['NAME', 'masked_name'],
  ['STATUS', 'status'],
  ['REVIEW', ({ requires_manual_review: review }) => (review ? 'needed' : 'no')],
  ['MATCHED', ({ matched }) => matched.map((by) => SEARCHED_BY_WORDS[by]).join(', ')],
  ['EXTERNAL ID', 'external_id', 3],
  ['CREATED (UTC)', ({ created_at }) => shortTime(created_at), 1],
  ['LAST ACTIVITY (UTC)', ({ updated_at }) => shortTime(updated_at), 2],
]);

export function searchView(result: SearchResult, style: Style): string {
  const { searched_by, too_short, unreadable } = result;
  return [
    foundView(result, style),
    style.dim(searchedAs(searched_by, too_short)),
    ...(unreadable > 0
      ? [style.warn(`${unreadable} could not be read: some of their values are damaged`)]
      : []),
  ].join('\n');
}

export const reviewsView = listView<Reviews>('Nobody waits for a review', [
  ['ID', 'id'],
  ['NAME', 'masked_name'],
  ['WAITS SINCE (UTC)', ({ waiting_since }) => shortTime(waiting_since)],
  ['CLAIMED BY', ({ claim }) => claim?.operator],
  ['WHY', whyText],
]);

/** The gravest signals, and how many more there are. */
function whyText({ signals, signal_count }: Reviews['data'][number]): string {
  const others = signal_count - signals.length;
  const gravest = signals.map(({ reason_code, severity }) => `${reason_code} (${severity})`);
  return [...gravest, ...(others > 0 ? [`${others} more`] : [])].join(', ') || 'no signals';
}
