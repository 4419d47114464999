import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { onboardingArg, judged, waitFlags, waitForOutcome, type Onboarding } from '../../onboardings/runs.ts';
import { nextStep, onboardingView } from '../../onboardings/view.ts';

export default class OnboardingsGet extends BaseCommand<Onboarding> {
  static override summary = 'Show the outcome of an onboarding, or wait for it';
  static override examples = [
    '<%= config.bin %> onboardings get ob_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> onboardings get ob_7p793EF07xKXHqAeg5VGPj --wait --timeout 10s --expect pass',
  ];
  static override args = onboardingArg;
  static override flags = { ...waitFlags, ...liveFlag };

  async run(): Promise<Onboarding> {
    const { args, flags } = await this.parse(OnboardingsGet);
    const { id } = args;
    const onboarding = flags.wait
      ? await waitForOutcome(this.client, id, flags.timeout)
      : await this.client.call('GET /onboardings/{id}', { params: { id } });
    const { exitCode, note = nextStep(onboarding) } = judged(onboarding, flags.expect);
    this.present(onboarding, onboardingView);
    this.note(note);
    this.endWith(exitCode);
    return onboarding;
  }
}
