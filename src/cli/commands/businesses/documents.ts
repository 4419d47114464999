import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag, businessArg } from '../../shell/flags.ts';
import { documentListView } from '../../entities/view.ts';

export default class BusinessesDocuments extends BaseCommand<AnswerOf<'GET /businesses/{fp_bid}/documents'>> {
  static override summary = 'List a business’s documents and which vault version stored each image';
  static override examples = [
    '<%= config.bin %> businesses documents fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses documents fp_bid_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj',
  ];
  static override args = businessArg;
  static override flags = {
    onboarding: string({ summary: 'only those of this onboarding', helpValue: 'ID' }),
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'GET /businesses/{fp_bid}/documents'>> {
    const { args, flags } = await this.parse(BusinessesDocuments);
    const documents = await this.client.call('GET /businesses/{fp_bid}/documents', {
      params: { fp_bid: args.fp_bid },
      query: { onboarding_id: flags.onboarding },
    });
    return this.present(documents, documentListView);
  }
}
