import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { userArg, reasonOf } from '../../shell/flags.ts';
import { VERIFY_DESCRIPTION, verificationView, verifyArgs, verifyFlags } from '../../entities/comparison.ts';

type Verification = AnswerOf<'POST /users/{fp_id}/verify'>;

export default class UsersVerify extends BaseCommand<Verification> {
  static override summary = 'Verify what a caller says about a user against the stored value';
  static override description = VERIFY_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> users verify fp_id_7p793EF07xKXHqAeg5VGPj id.phone_number --reason "call 4711"',
    '<%= config.bin %> users verify fp_id_7p793EF07xKXHqAeg5VGPj id.phone_number - --reason "call 4711" < said.txt',
  ];
  static override args = { ...userArg, ...verifyArgs };
  static override flags = verifyFlags;

  async run(): Promise<Verification> {
    const { args, flags } = await this.parse(UsersVerify);
    const { fp_id, identifier } = args;
    const value = await this.input.secret(args.value, `What was said of ${identifier}`);
    const reason = await reasonOf(flags.reason, this.input);
    const verification = await this.client.call('POST /users/{fp_id}/verify', {
      params: { fp_id },
      body: { identifier, value, reason },
    });
    if (verification.result !== 'match') this.endWith(EXIT.failed);
    return this.present(verification, verificationView);
  }
}
