import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { userArg, liveFlag } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class UsersUpdate extends BaseCommand<AnswerOf<'PATCH /users/{fp_id}'>> {
  static override summary = "Change a user's external id; its data is changed by vault set";
  static override examples = [
    '<%= config.bin %> users update fp_id_7p793EF07xKXHqAeg5VGPj --external-id customer-4711',
    '<%= config.bin %> users update fp_id_7p793EF07xKXHqAeg5VGPj --external-id customer-4712 --json',
  ];
  static override args = userArg;
  static override flags = {
    'external-id': string({ summary: 'the new external id', helpValue: 'ID' }),
    ...liveFlag,
  };

  async run(): Promise<AnswerOf<'PATCH /users/{fp_id}'>> {
    const { args, flags } = await this.parse(UsersUpdate);
    const externalId = flags['external-id'];
    const user = await this.client.call('PATCH /users/{fp_id}', {
      params: { fp_id: args.fp_id },
      body: externalId === undefined ? {} : { external_id: externalId },
    });
    return this.present(user, entityView);
  }
}
