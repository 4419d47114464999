import { option, string } from '@oclif/core/flags';
import { LINK_STATES } from '../../../../contract/facts/banks.ts';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { entityFlag, pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../../shell/flags.ts';
import { linkListView } from '../../../bank/view.ts';

export default class BankLinksList extends BaseCommand<AnswerOf<'GET /_kyclone/bank_links'>> {
  static override summary = 'List bank links with their state, newest first';
  static override description =
    'The state is connected, or the error that keeps the link from its bank. GET /bank_links lists the same links ' +
    'for an application, without their state.';
  static override examples = [
    '<%= config.bin %> bank links list',
    '<%= config.bin %> bank links list --state error',
    'Only some:\n<%= config.bin %> bank links list --link-ids link_7p793EF07xKXHqAeg5VGPj,link_8p793EF07xKXHqAeg5VGPj --json',
  ];
  static override flags = {
    id: entityFlag('only those of this user or business', { helpValue: 'FP_ID' }),
    state: option({ summary: 'only those in this state', options: LINK_STATES })(),
    'link-ids': string({ summary: 'only these; unknown ones are left out', helpValue: 'ID,...' }),
    ...pageFlags,
    ...spaceFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/bank_links'>> {
    const { flags } = await this.parse(BankLinksList);
    const { id: fp_id, state, 'link-ids': link_ids } = flags;
    const query = { ...spaceQuery(flags), fp_id, state, link_ids, ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/bank_links', { query }), linkListView);
  }
}
