import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../base-command.ts';
import { runInForeground, type DaemonStart } from '../daemon-process.ts';
import { daemonEnvironment } from '../environment.ts';
import type { InstanceSummary } from '../instance-summary.ts';
import { summarise } from '../instance-summary.ts';
import { accessInstance, ensureRunning } from '../lifecycle.ts';
import { keptSettings, settingOptions } from '../preferences.ts';
import { daemonOptions, startFlags } from '../start-flags.ts';
import { summaryView } from '../views/lifecycle.ts';

export default class Start extends BaseCommand<InstanceSummary | undefined> {
  static override summary = 'Start the daemon, in the foreground or with -d in the background';
  static override examples = [
    '<%= config.bin %> start -d',
    'A throw-away instance for a test run:\n<%= config.bin %> start -d --ephemeral --port 0 --json',
    '<%= config.bin %> start --instance staging --port 4700 --set egress.policy=strict',
  ];
  static override flags = {
    detach: boolean({ char: 'd', summary: 'run in the background and return when it is ready' }),
    ...startFlags,
  };

  async run(): Promise<InstanceSummary | undefined> {
    const { flags } = await this.parse(Start);
    const { target } = this;
    const preferred = settingOptions(await keptSettings(this.environment.bases));
    const start: DaemonStart = {
      root: this.config.root,
      paths: target.paths,
      options: daemonOptions(flags, target.name, preferred),
      environment: daemonEnvironment(),
    };
    if (flags.detach) return this.announce(await ensureRunning(target, this.config.version, start));
    const exitCode = await runInForeground(start, async ({ notices }) => {
      this.announce({ ...(await summarise(await accessInstance(target))), notices });
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
