import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { userArg } from '../../shell/flags.ts';
import { judged, type RunResult, endOf, RUN_HELP, runBody, runFlags } from '../../onboardings/runs.ts';
import { nextStep, runView } from '../../onboardings/view.ts';

export default class UsersKyc extends BaseCommand<RunResult> {
  static override summary = 'Verify a user: run it through a kyc or document playbook';
  static override description = RUN_HELP;
  static override examples = [
    '<%= config.bin %> users kyc fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users kyc fp_id_7p793EF07xKXHqAeg5VGPj --result manual_review --external-id order-4711',
    '<%= config.bin %> users kyc fp_id_7p793EF07xKXHqAeg5VGPj --result step_up --link-on-step-up',
    '<%= config.bin %> users kyc fp_id_7p793EF07xKXHqAeg5VGPj --playbook pb_test_mine --wait --timeout 10s --expect pass',
  ];
  static override args = userArg;
  static override flags = {
    ...runFlags,
    'link-on-step-up': boolean({
      summary: 'if a document is required, also return a token and a link for the person to continue',
      exclusive: ['wait'],
    }),
  };

  async run(): Promise<RunResult> {
    const { args, flags } = await this.parse(UsersKyc);
    const started = await this.client.call('POST /users/{fp_id}/kyc', {
      params: { fp_id: args.fp_id },
      body: runBody('kyc', flags),
    });
    const run = await endOf(this.client, started, flags);
    const { exitCode, note = nextStep(run) } = judged(run, flags.expect);
    this.present(run, runView);
    this.note(note);
    this.endWith(exitCode);
    return run;
  }
}
