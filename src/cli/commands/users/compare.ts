import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { userArg, otherUserArg } from '../../shell/flags.ts';
import { COMPARE_DESCRIPTION, compareFlags, comparisonView } from '../../entities/comparison.ts';

type Comparison = AnswerOf<'POST /users/{fp_id}/compare'>;

export default class UsersCompare extends BaseCommand<Comparison> {
  static override summary =
    'Compare two users: which fields are equal and which differ, without showing values';
  static override description = COMPARE_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> users compare fp_id_7p793EF07xKXHqAeg5VGPj fp_id_0a1b2c3d4e5f6g7h8i9j0k',
    '<%= config.bin %> users compare fp_id_7p793EF07xKXHqAeg5VGPj fp_id_0a1b2c3d4e5f6g7h8i9j0k --reason "case 4711" --json',
  ];
  static override args = { ...userArg, ...otherUserArg };
  static override flags = compareFlags;

  async run(): Promise<Comparison> {
    const { args, flags } = await this.parse(UsersCompare);
    const { fp_id, other } = args;
    const { reason } = flags;
    const comparison = await this.client.call('POST /users/{fp_id}/compare', {
      params: { fp_id },
      body: { with: other, ...(reason !== undefined && { reason }) },
    });
    return this.present(comparison, comparisonView);
  }
}
