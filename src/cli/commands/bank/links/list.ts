import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../base-command.ts';
import { liveFlag, pageFlags, pageQuery } from '../../../flags.ts';
import { linkListView } from '../../../views/bank.ts';

export default class BankLinksList extends BaseCommand<AnswerOf<'GET /bank_links'>> {
  static override summary = 'List bank links, newest first';
  static override description = 'An external id, where a link has one, stands behind the time.';
  static override examples = [
    '<%= config.bin %> bank links list',
    'Of some only:\n<%= config.bin %> bank links list --link-ids link_7p793EF07xKXHqAeg5VGPj,link_8p793EF07xKXHqAeg5VGPj --json',
  ];
  static override flags = {
    'link-ids': string({ summary: 'only these; unknown ones are left out', helpValue: 'ID,...' }),
    ...pageFlags,
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'GET /bank_links'>> {
    const { flags } = await this.parse(BankLinksList);
    const query = { link_ids: flags['link-ids'], ...pageQuery(flags) };
    return this.present(await this.client.call('GET /bank_links', { query }), linkListView);
  }
}
