import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag, pageFlags, pageQuery } from '../../shell/flags.ts';
import { reviewFlags, reviewsOf, reviewsView, type Reviews } from '../../entities/search.ts';
import { maskedOf } from '../../entities/masked.ts';
import { entityListView } from '../../entities/view.ts';

export default class UsersList extends BaseCommand<AnswerOf<'GET /users'> | Reviews> {
  static override summary = 'List users, newest first, or those awaiting a review';
  static override examples = [
    '<%= config.bin %> users list',
    '<%= config.bin %> users list --external-id customer-4711 --json',
    '<%= config.bin %> users list --review',
  ];
  static override flags = {
    'external-id': string({ summary: 'only the one with this external id', helpValue: 'ID' }),
    ...reviewFlags,
    ...pageFlags,
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'GET /users'> | Reviews> {
    const { flags } = await this.parse(UsersList);
    if (flags.review) {
      const reviews = await reviewsOf(this.client, 'user', flags);
      return this.present(reviews, (_, style) => reviewsView(reviews, style));
    }
    const query = { external_id: flags['external-id'], ...pageQuery(flags) };
    const page = await this.client.call('GET /users', { query });
    const masked = this.isForPeople
      ? await maskedOf(this.client, page, { kind: 'user', flags, access: await this.access })
      : undefined;
    return this.present(page, (_, style) => entityListView(page, style, masked));
  }
}
