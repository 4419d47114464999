import { boolean, string } from '@oclif/core/flags';
import { constants } from 'node:os';
import { BaseCommand } from '../base-command.ts';
import { findDaemon } from '../daemon-access.ts';
import { terminalVariables, wantsColour } from '../environment.ts';
import { SIGNAL_EXIT_BASE } from '../exit-codes.ts';
import { liveFlag } from '../flags.ts';
import { found, startingPlace, themeFor } from '../inspect/open.ts';

export default class Inspect extends BaseCommand {
  static override summary = 'Look at users, what is known of them and what happens, in the terminal';
  static override description =
    'Values are masked; x reveals one for 20 seconds, asks a reason and is in the access log. ? shows all keys.';
  static override examples = [
    '<%= config.bin %> inspect',
    '<%= config.bin %> inspect --user fp_id_7p793EF07xKXHqAeg5VGPj --readonly',
  ];
  static override flags = {
    ...liveFlag,
    user: string({ summary: 'open on this user or business', helpValue: 'FP_ID' }),
    readonly: boolean({ summary: 'change nothing and reveal nothing' }),
    theme: string({
      summary: 'colours for a dark or a light terminal, or none',
      options: ['dark', 'light', 'none'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Inspect);
    const start = startingPlace(flags.user);
    const find = async (access = findDaemon(this.environment, flags.instance)) =>
      found(await access, flags.live);
    const first = await find(this.access);
    const { name } = await this.target;
    const variables = terminalVariables();
    const { inspect } = await import('../../tui/index.ts');
    const signal = await inspect({
      setup: {
        instance: name,
        environment: flags.live ? 'live' : 'sandbox',
        isReadonly: flags.readonly,
        start,
      },
      first,
      find: () => find(),
      ownVersion: this.config.version,
      theme: themeFor(flags.theme, variables, wantsColour(process.stdout)),
      stdin: process.stdin,
      stdout: process.stdout,
      environment: variables,
    });
    if (signal !== undefined) this.endWith(SIGNAL_EXIT_BASE + constants.signals[signal]);
  }
}
