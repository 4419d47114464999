import { BaseCommand } from '../shell/base-command.ts';
import type { ChosenInstance } from '../shell/environment.ts';
import { type InstanceSummary, summarise, summaryView } from '../instance/view.ts';
import { accessInstance, ensureRunning, stopInstance } from '../instance/lifecycle.ts';
import { withOptionalValues } from '../shell/command-line.ts';
import { OPTIONAL_VALUES, startFlags, planStart } from '../instance/start-options.ts';

export default class Restart extends BaseCommand<InstanceSummary> {
  static override summary = 'Stop the daemon and start it again in the background';
  static override description =
    'Port and storage do not change unless a flag changes them; an ephemeral instance starts empty.';
  static override examples = ['', '--set egress.policy=local'];
  static override flags = startFlags;

  async run(): Promise<InstanceSummary> {
    const { flags } = await this.parse(Restart, withOptionalValues(this.argv, OPTIONAL_VALUES));
    const target = await this.target;
    const before = await this.running(target);
    const plan = await planStart(
      {
        ...flags,
        port: flags.port ?? (before && Number(new URL(before.base_url).port || 80)),
        ephemeral: flags.ephemeral || before?.ephemeral === true,
      },
      target,
      { root: this.config.root, environment: this.environment },
    );
    await stopInstance(target, (line) => this.note(line));
    const summary = await ensureRunning(target, this.config.version, plan);
    for (const notice of summary.notices ?? []) this.note(notice);
    return this.present(summary, summaryView);
  }

  private async running(target: ChosenInstance): Promise<InstanceSummary | undefined> {
    try {
      return await summarise(await accessInstance(target));
    } catch {
      return undefined;
    }
  }
}
