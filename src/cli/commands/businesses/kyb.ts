import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg } from '../../shell/flags.ts';
import { judged, type RunResult, endOf, RUN_HELP, runBody, runFlags } from '../../onboardings/runs.ts';
import { nextStep, runView } from '../../onboardings/view.ts';

export default class BusinessesKyb extends BaseCommand<RunResult> {
  static override summary = 'Verify a business: run it through a kyb playbook';
  static override description = RUN_HELP;
  static override examples = [
    '<%= config.bin %> businesses kyb fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses kyb fp_bid_7p793EF07xKXHqAeg5VGPj --result fail --no-reonboard --expect fail',
  ];
  static override args = businessArg;
  static override flags = runFlags;

  async run(): Promise<RunResult> {
    const { args, flags } = await this.parse(BusinessesKyb);
    const started = await this.client.call('POST /businesses/{fp_bid}/kyb', {
      params: { fp_bid: args.fp_bid },
      body: runBody('kyb', flags),
    });
    const run = await endOf(this.client, started, flags);
    const { exitCode, note = nextStep(run) } = judged(run, flags.expect);
    this.present(run, runView);
    this.note(note);
    this.endWith(exitCode);
    return run;
  }
}
