/** Searches users and businesses, and lists those awaiting a review: shared flags, help and views. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { SEARCHED_BY_WORDS, searchedAs } from '../../search/facts.ts';
import type { EntityKind } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Client } from '../../../client/client.ts';
import { searchEntities, type SearchResult } from '../../../client/search.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../../cli/shell/flags.ts';
import { type Heading, shortTime, table, moreView } from '../../../cli/shell/layout.ts';
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
  tenant: string({ summary: 'with --review, the tenant (default: "default")', helpValue: 'NAME' }),
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
  const body = {
    search: search.text,
    kind: search.kind,
    ...defined({ cursor, page_size }),
  };
  return await searchEntities(client, { query: spaceQuery(flags), body }, progress.update).finally(
    progress.end,
  );
}

/** Throws what the client throws. */
export async function reviewsOf(client: Client, kind: EntityKind, flags: Space & Paging): Promise<Reviews> {
  const query = { ...spaceQuery(flags), kind, ...pageQuery(flags) };
  return await client.call('GET /_kyclone/reviews', { query });
}

const HEADINGS: readonly Heading[] = [
  'ID',
  'NAME',
  'STATUS',
  'REVIEW',
  'MATCHED',
  { text: 'EXTERNAL ID', drop: 3 },
  { text: 'CREATED (UTC)', drop: 1 },
  { text: 'LAST ACTIVITY (UTC)', drop: 2 },
];

export function searchView(result: SearchResult, style: Style): string {
  const { data, meta, searched_by, too_short, unreadable } = result;
  const rows = data.map((item) => [
    item.id,
    item.masked_name,
    item.status,
    item.requires_manual_review ? 'needed' : 'no',
    item.matched.map((by) => SEARCHED_BY_WORDS[by]).join(', '),
    item.external_id,
    shortTime(item.created_at),
    shortTime(item.updated_at),
  ]);
  return [
    table(HEADINGS, rows, style, 'None found'),
    ...moreView(meta, data.length, style),
    style.dim(searchedAs(searched_by, too_short)),
    ...(unreadable > 0
      ? [style.warn(`${unreadable} could not be read: some of their values are damaged`)]
      : []),
  ].join('\n');
}

export function reviewsView({ data, meta }: Reviews, style: Style): string {
  const rows = data.map((item) => {
    const others = item.signal_count - item.signals.length;
    const gravest = item.signals.map(({ reason_code, severity }) => `${reason_code} (${severity})`);
    const why = [...gravest, ...(others > 0 ? [`${others} more`] : [])].join(', ');
    return [
      item.id,
      item.masked_name,
      shortTime(item.waiting_since),
      item.claim?.operator,
      why === '' ? 'no signals' : why,
    ];
  });
  const shown = table(
    ['ID', 'NAME', 'WAITS SINCE (UTC)', 'CLAIMED BY', 'WHY'],
    rows,
    style,
    'Nobody waits for a review',
  );
  return [shown, ...moreView(meta, data.length, style)].join('\n');
}
