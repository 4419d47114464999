import { boolean } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { SearchResult } from '../../../client/search.ts';
import { SEARCH_DESCRIPTION, searchArgs, searchFlags, searchOf, searchView } from './searching.ts';
import { entityListView } from './view.ts';
import { made, type From, type Given } from '../../../cli/shell/derived.ts';
import { defined } from '../../../kernel/defined.ts';

type ExactResult = AnswerOf<'POST /users/search'>;

const textOf = async ({ args }: Pick<Given<{ text: string }, object>, 'args'>, { input }: From) =>
  await input.secret(args.text, 'Value to search for');

export default {
  'users:search': made(
    {
      summary: 'Find users by something known about them, such as a name or a phone number',
      description: SEARCH_DESCRIPTION,
      examples: ['', '- < address.txt', 'review:needed --json', 'jane@example.com --exact'],
      args: searchArgs,
      flags: {
        exact: boolean({
          summary: 'only users with exactly this value, using the API key: POST /users/search',
          exclusive: ['tenant'],
        }),
        ...searchFlags,
      },
      view: (found: SearchResult | ExactResult, style) =>
        'searched_by' in found ? searchView(found, style) : entityListView(found, style),
    },
    async (given, from): Promise<SearchResult | ExactResult> => {
      const { flags } = given;
      const text = await textOf(given, from);
      if (!flags.exact)
        return await searchOf(from.client, { text, kind: 'user', showsProgress: from.isForPeople }, flags);
      const pagination = defined({ cursor: flags.cursor, page_size: flags['page-size'] });
      return await from.client.call('POST /users/search', { body: { search: text, pagination } });
    },
  ),
  'businesses:search': made(
    {
      summary: 'Find businesses by something known about them, such as a name or a phone number',
      description: SEARCH_DESCRIPTION,
      examples: ['', 'acme --json'],
      args: searchArgs,
      flags: searchFlags,
      view: searchView,
    },
    async (given, from) => {
      const search = {
        text: await textOf(given, from),
        kind: 'business',
        showsProgress: from.isForPeople,
      } as const;
      return await searchOf(from.client, search, given.flags);
    },
  ),
};
