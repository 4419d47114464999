import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag, userArg } from '../../shell/flags.ts';
import { documentListView } from '../../entities/view.ts';

export default class UsersDocuments extends BaseCommand<AnswerOf<'GET /users/{fp_id}/documents'>> {
  static override summary = 'List a user’s documents and which vault version stored each image';
  static override examples = [
    '<%= config.bin %> users documents fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users documents fp_id_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj',
  ];
  static override args = userArg;
  static override flags = {
    onboarding: string({ summary: 'only those of this onboarding', helpValue: 'ID' }),
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'GET /users/{fp_id}/documents'>> {
    const { args, flags } = await this.parse(UsersDocuments);
    const documents = await this.client.call('GET /users/{fp_id}/documents', {
      params: { fp_id: args.fp_id },
      query: { onboarding_id: flags.onboarding },
    });
    return this.present(documents, documentListView);
  }
}
