import { boolean } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import type { SearchResult } from '../../../client/search.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { SEARCH_DESCRIPTION, searchArgs, searchFlags, searchOf, searchView } from '../../entities/search.ts';
import { entityListView } from '../../entities/view.ts';
import { defined } from '../../../kernel/defined.ts';

type ExactResult = AnswerOf<'POST /users/search'>;

export default class UsersSearch extends BaseCommand<SearchResult | ExactResult> {
  static override summary = 'Find users by something known about them, such as a name or a phone number';
  static override description = SEARCH_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> users search',
    '<%= config.bin %> users search - < address.txt',
    '<%= config.bin %> users search review:needed --json',
    '<%= config.bin %> users search jane@example.com --exact',
  ];
  static override args = searchArgs;
  static override flags = {
    exact: boolean({
      summary: 'only users with exactly this value, using the API key: POST /users/search',
      exclusive: ['tenant'],
    }),
    ...searchFlags,
  };

  async run(): Promise<SearchResult | ExactResult> {
    const { args, flags } = await this.parse(UsersSearch);
    const text = await this.input.secret(args.text, 'Value to search for');
    if (!flags.exact) {
      const search = { text, kind: 'user', showsProgress: this.isForPeople } as const;
      const found = await searchOf(this.client, search, flags);
      return this.present(found, (_, style) => searchView(found, style));
    }
    const { cursor, 'page-size': size } = flags;
    const pagination = {
      ...defined({ cursor, page_size: size }),
    };
    const found = await this.client.call('POST /users/search', { body: { search: text, pagination } });
    return this.present(found, (_, style) => entityListView(found, style));
  }
}
