import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag, pageFlags, pageQuery } from '../../shell/flags.ts';
import { entityListView } from '../../entities/view.ts';

export default class BusinessesList extends BaseCommand<AnswerOf<'GET /businesses'>> {
  static override summary = 'List businesses, newest first';
  static override examples = [
    '<%= config.bin %> businesses list',
    '<%= config.bin %> businesses list --external-id customer-4711 --json',
  ];
  static override flags = {
    'external-id': string({ summary: 'only the one with this external id', helpValue: 'ID' }),
    ...pageFlags,
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'GET /businesses'>> {
    const { flags } = await this.parse(BusinessesList);
    const query = { external_id: flags['external-id'], ...pageQuery(flags) };
    return this.present(await this.client.call('GET /businesses', { query }), entityListView);
  }
}
