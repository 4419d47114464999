import { BaseCommand } from '../../shell/base-command.ts';
import { onboardingArg, outcomeArg, type Onboarding } from '../../onboardings/runs.ts';
import { onboardingView } from '../../onboardings/view.ts';

export default class OnboardingsResolve extends BaseCommand<Onboarding> {
  static override summary = 'Give a pending or incomplete onboarding its outcome now';
  static override examples = [
    '<%= config.bin %> onboardings resolve ob_7p793EF07xKXHqAeg5VGPj pass',
    '<%= config.bin %> onboardings resolve ob_7p793EF07xKXHqAeg5VGPj fail --json',
  ];
  static override args = { ...onboardingArg, ...outcomeArg };

  async run(): Promise<Onboarding> {
    const { args } = await this.parse(OnboardingsResolve);
    const onboarding = await this.client.call('POST /_kyclone/onboardings/{id}/resolve', {
      params: { id: args.id },
      body: { outcome: args.outcome },
    });
    return this.present(onboarding, onboardingView);
  }
}
