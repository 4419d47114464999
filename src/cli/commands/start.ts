import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { runInForeground } from '../instance/daemon-process.ts';
import { applyFixtures } from '../exec/fixtures.ts';
import { type InstanceSummary, summarise, summaryView } from '../instance/view.ts';
import { ensureRunning, refuseHanging, STOPPED_AGAIN } from '../instance/lifecycle.ts';
import { accessInstance } from '../shell/daemon-access.ts';
import { withOptionalValues } from '../shell/command-line.ts';
import { OPTIONAL_VALUES, startFlags, planStart } from '../instance/start-options.ts';

export default class Start extends BaseCommand<InstanceSummary | undefined> {
  static override summary = 'Start the daemon, in the foreground or with -d in the background';
  static override description =
    "In a project (see kyclone init) its seed, clock, settings and port are taken from the project file, and its fixtures run if the instance is empty; a failed fixture stops the instance again. With -d, a running instance with the same options is fine, one with others is a conflict that names them; in the foreground, the daemon ends with the command. --export-on-exit=FILE names the snapshot's file; without a value it is the one of --import.";
  static override examples = [
    '-d',
    'A throw-away instance for a test run:\n-d --ephemeral --port 0 --json',
    '--instance staging --port 4700 --set egress.policy=strict',
  ];
  static override flags = {
    detach: boolean({ char: 'd', summary: 'run in the background and return when it is ready' }),
    ...startFlags,
  };

  async run(): Promise<InstanceSummary | undefined> {
    const { flags } = await this.parse(Start, withOptionalValues(this.argv, OPTIONAL_VALUES));
    const target = await this.target();
    const plan = await planStart(flags, target, { root: this.config.root, environment: this.environment });
    if (flags.detach) {
      return this.announce(await ensureRunning(target, this.config.version, plan));
    }
    await refuseHanging(target);
    const exitCode = await runInForeground(plan.start, async ({ notices }) => {
      const access = await accessInstance(target);
      await applyFixtures(plan.fixtures, access, { ...plan, consequence: STOPPED_AGAIN });
      this.announce({ ...(await summarise(access)), notices });
    });
    this.endWith(exitCode);
    return undefined;
  }

  private announce(summary: InstanceSummary): InstanceSummary {
    for (const notice of summary.notices ?? []) this.note(notice);
    this.present(summary, (shown, style) => (shown ? summaryView(shown, style) : ''));
    return summary;
  }
}
