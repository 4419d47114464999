import type { SearchResult } from '../../../client/search.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { SEARCH_DESCRIPTION, searchArgs, searchFlags, searchOf, searchView } from '../../entities/search.ts';

export default class BusinessesSearch extends BaseCommand<SearchResult> {
  static override summary = 'Find businesses by something known about them, such as a name or a phone number';
  static override description = SEARCH_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> businesses search',
    '<%= config.bin %> businesses search acme --json',
  ];
  static override args = searchArgs;
  static override flags = searchFlags;

  async run(): Promise<SearchResult> {
    const { args, flags } = await this.parse(BusinessesSearch);
    const text = await this.input.secret(args.text, 'Value to search for');
    const search = { text, kind: 'business', showsProgress: this.isForPeople } as const;
    return this.present(await searchOf(this.client, search, flags), searchView);
  }
}
