import type { AnswerOf } from '../../../contract/registry.ts';
import { maskedOf } from './masked.ts';
import { reviewFlags, type Reviews, reviewsOf, reviewsView } from './searching.ts';
import { twins } from './twins.ts';
import { entityListView } from './view.ts';
import { made } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { liveFlag, nonEmpty, pageFlags, pageQuery } from '../../../cli/shell/flags.ts';

type Page = AnswerOf<'GET /users'>;

export default twins(({ kind, topic }) => ({
  list: made(
    {
      summary: `List ${topic}, newest first, or those awaiting a review`,
      examples: ['', '--external-id customer-4711 --json', '--review'],
      flags: {
        'external-id': nonEmpty({ summary: 'only the one with this external id', helpValue: 'ID' }),
        ...reviewFlags,
        ...pageFlags,
        ...liveFlag,
      },
      beside: async (listed: Page | Reviews, { flags }, { client, access }) =>
        flags.review
          ? undefined
          : await maskedOf(client, listed as Page, { kind, flags, access: await access() }),
      view: (listed, style, { flags }, masked) =>
        flags.review ? reviewsView(listed as Reviews, style) : entityListView(listed as Page, style, masked),
    },
    async ({ flags }, { client }): Promise<Page | Reviews> => {
      if (flags.review) return await reviewsOf(client, kind, flags);
      if (flags.tenant !== undefined) {
        throw new UsageError(
          '--tenant goes with --review',
          'a list without it is of the tenant of the API key',
        );
      }
      const query = { external_id: flags['external-id'], ...pageQuery(flags) };
      return kind === 'user'
        ? await client.call('GET /users', { query })
        : await client.call('GET /businesses', { query });
    },
  ),
}));
