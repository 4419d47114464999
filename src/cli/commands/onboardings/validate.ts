import { string } from '@oclif/core/args';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { TOKEN_HELP } from '../../onboardings/sessions.ts';
import { validationView } from '../../onboardings/view.ts';

type Validated = AnswerOf<'POST /onboarding/session/validate'>;

export default class OnboardingsValidate extends BaseCommand<Validated> {
  static override summary =
    'Show the outcome of a hosted onboarding, from the token that its flow ended with';
  static override examples = [
    '<%= config.bin %> onboardings validate "$VALIDATION"',
    '<%= config.bin %> onboardings complete "$TOKEN" | <%= config.bin %> onboardings validate - --json',
  ];
  static override args = {
    token: string({ description: `the validation token (vtok_…): ${TOKEN_HELP}`, required: true }),
  };
  static override flags = liveFlag;

  async run(): Promise<Validated> {
    const { args } = await this.parse(OnboardingsValidate);
    const token = await this.input.secret(args.token, 'Validation token');
    const body = { validation_token: token };
    return this.present(
      await this.client.call('POST /onboarding/session/validate', { body }),
      validationView,
    );
  }
}
