import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { userArg, liveFlag } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class UsersGet extends BaseCommand<AnswerOf<'GET /users/{fp_id}'>> {
  static override summary = 'Show a user: ids and status, nothing of its vault';
  static override examples = [
    '<%= config.bin %> users get fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users get fp_id_7p793EF07xKXHqAeg5VGPj --output yaml',
  ];
  static override args = userArg;
  static override flags = liveFlag;

  async run(): Promise<AnswerOf<'GET /users/{fp_id}'>> {
    const { args } = await this.parse(UsersGet);
    const user = await this.client.call('GET /users/{fp_id}', { params: { fp_id: args.fp_id } });
    return this.present(user, entityView);
  }
}
