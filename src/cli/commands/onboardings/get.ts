import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { onboardingArg } from '../../onboardings/words.ts';
import { judged, waitFlags, waitForOutcome, type Onboarding } from '../../onboardings/wait.ts';
import { nextStep, onboardingView } from '../../onboardings/view.ts';

export default class OnboardingsGet extends BaseCommand<Onboarding> {
  static override summary = 'Show what an onboarding came to, or wait until it comes to something';
  static override examples = [
    '<%= config.bin %> onboardings get ob_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> onboardings get ob_7p793EF07xKXHqAeg5VGPj --wait --timeout 10 --expect pass',
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
