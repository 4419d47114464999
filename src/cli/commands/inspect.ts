import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { exitCodeOfSignal } from '../shell/exit-codes.ts';
import { entityFlag, spaceFlags } from '../shell/flags.ts';
import {
  accessOfTenant,
  modeOf,
  readOnce,
  SCREENS,
  startingPlace,
  type ScreenData,
  openInspector,
  screenView,
} from '../inspect/inspect.ts';

export default class Inspect extends BaseCommand<ScreenData | undefined> {
  static override summary = 'Show users, their data and events in the terminal';
  static override description =
    'Values are masked; x reveals one for 20 seconds, asks for a reason and records it in the access log with your name. ? shows all keys. ' +
    '--user takes what a caller says, too; ? asks for it without echo, and @FILE or, with --once, - for stdin keep it off the command line as well. ' +
    'Without a terminal, or for data output, the screen is printed once; --json prints the records of each pane, with times as ISO 8601 and numbers as numbers.';
  static override examples = [
    '',
    '--user fp_id_… --readonly',
    '--once --user - < address.txt',
    '--once --screen deliveries',
  ];
  static override flags = {
    ...spaceFlags,
    user: entityFlag('open on this user or business: an id, or a search that finds only one', {
      helpValue: 'FP_ID',
      exclusive: ['screen'],
      takesParts: true,
    }),
    screen: string({ summary: 'open on this screen', options: Object.keys(SCREENS) }),
    once: boolean({
      summary: 'print the screen, a page of each list, and leave',
      exclusive: ['linear', 'theme'],
    }),
    linear: boolean({
      summary: 'for screen readers: print changes as lines; a revealed value stays in the scrollback',
    }),
    readonly: boolean({ summary: 'change nothing and reveal nothing' }),
    theme: string({
      summary: 'colours for a dark or a light terminal, or none',
      options: ['dark', 'light', 'none'],
    }),
  };

  async run(): Promise<ScreenData | undefined> {
    const { flags } = await this.parse(Inspect);
    const start = startingPlace(flags.user, flags.screen);
    const mode = this.isForPeople ? modeOf(flags) : 'once';
    if (mode === 'once') {
      const access = accessOfTenant(await this.access(), flags.tenant, this.environment);
      const { text, data } = await readOnce(access, flags, start);
      this.present(data, (_, style) => screenView(text, style, flags.tenant));
      if (!flags.once) this.note('Printed once: the interactive screen needs a terminal');
      return data;
    }
    const signal = await openInspector(mode, this.access(), {
      cli: this.environment,
      flags,
      setup: { isReadonly: flags.readonly, start, operator: this.operator },
      target: this.named,
      ownVersion: this.config.version,
    });
    if (signal !== undefined) this.endWith(exitCodeOfSignal(signal));
    return undefined;
  }
}
