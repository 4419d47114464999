import { BaseCommand } from '../base-command.ts';
import { daemonEnvironment } from '../environment.ts';
import type { InstanceSummary } from '../instance-summary.ts';
import { summarise } from '../instance-summary.ts';
import { accessInstance, ensureRunning, stopInstance } from '../lifecycle.ts';
import { keptSettings, settingOptions } from '../preferences.ts';
import { daemonOptions, startFlags } from '../start-flags.ts';
import { summaryView } from '../views/lifecycle.ts';

export default class Restart extends BaseCommand<InstanceSummary> {
  static override summary = 'Stop the daemon and start it again in the background';
  static override description =
    'Port and storage stay what they were unless a flag says otherwise; an ephemeral instance comes back empty.';
  static override examples = [
    '<%= config.bin %> restart',
    '<%= config.bin %> restart --set egress.policy=local',
  ];
  static override flags = startFlags;

  async run(): Promise<InstanceSummary> {
    const { flags } = await this.parse(Restart);
    const { target } = this;
    const before = await this.running();
    await stopInstance(target);
    const options = daemonOptions(
      {
        ...flags,
        port: flags.port ?? (before && Number(new URL(before.base_url).port || 80)),
        ephemeral: flags.ephemeral || before?.ephemeral === true,
      },
      target.name,
      settingOptions(await keptSettings(this.environment.bases)),
    );
    const summary = await ensureRunning(target, this.config.version, {
      root: this.config.root,
      paths: target.paths,
      options,
      environment: daemonEnvironment(),
    });
    for (const notice of summary.notices ?? []) this.note(notice);
    return this.present(summary, summaryView);
  }

  private async running(): Promise<InstanceSummary | undefined> {
    try {
      return await summarise(await accessInstance(this.target));
    } catch {
      return undefined;
    }
  }
}
