import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { maskedOf } from './masked.ts';
import { reviewFlags, type Reviews, reviewsOf, reviewsView } from './searching.ts';
import { twins } from './twins.ts';
import { entityListView } from './view.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { liveFlag, pageFlags, pageQuery } from '../../../cli/shell/flags.ts';

type Listed = AnswerOf<'GET /users'> | Reviews;

export default twins(({ kind, topic }) => {
  class Listing extends BaseCommand<Listed> {
    static override summary = `List ${topic}, newest first, or those awaiting a review`;
    static override examples = ['', '--external-id customer-4711 --json', '--review'];
    static override flags = {
      'external-id': string({ summary: 'only the one with this external id', helpValue: 'ID' }),
      ...reviewFlags,
      ...pageFlags,
      ...liveFlag,
    };

    async run(): Promise<Listed> {
      const { flags } = await this.parse(Listing);
      if (flags.review) {
        const reviews = await reviewsOf(this.client, kind, flags);
        return this.present(reviews, (_, style) => reviewsView(reviews, style));
      }
      if (flags.tenant !== undefined) {
        throw new UsageError(
          '--tenant goes with --review',
          'a list without it is of the tenant of the API key',
        );
      }
      const query = { external_id: flags['external-id'], ...pageQuery(flags) };
      const page = await (kind === 'user'
        ? this.client.call('GET /users', { query })
        : this.client.call('GET /businesses', { query }));
      const masked = this.isForPeople
        ? await maskedOf(this.client, page, { kind, flags, access: await this.access })
        : undefined;
      return this.present(page, (_, style) => entityListView(page, style, masked));
    }
  }
  return { list: Listing };
});
