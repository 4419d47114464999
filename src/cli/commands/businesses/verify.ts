import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { businessArg, reasonOf } from '../../shell/flags.ts';
import { VERIFY_DESCRIPTION, verificationView, verifyArgs, verifyFlags } from '../../entities/comparison.ts';

type Verification = AnswerOf<'POST /businesses/{fp_bid}/verify'>;

export default class BusinessesVerify extends BaseCommand<Verification> {
  static override summary = 'Verify what a caller says about a business against the stored value';
  static override description = VERIFY_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> businesses verify fp_bid_7p793EF07xKXHqAeg5VGPj business.tin --reason "call 4711"',
    '<%= config.bin %> businesses verify fp_bid_7p793EF07xKXHqAeg5VGPj business.tin - --reason "call 4711" < tin.txt',
  ];
  static override args = { ...businessArg, ...verifyArgs };
  static override flags = verifyFlags;

  async run(): Promise<Verification> {
    const { args, flags } = await this.parse(BusinessesVerify);
    const { fp_bid, identifier } = args;
    const value = await this.input.secret(args.value, `What was said of ${identifier}`);
    const reason = await reasonOf(flags.reason, this.input);
    const verification = await this.client.call('POST /businesses/{fp_bid}/verify', {
      params: { fp_bid },
      body: { identifier, value, reason },
    });
    if (verification.result !== 'match') this.endWith(EXIT.failed);
    return this.present(verification, verificationView);
  }
}
