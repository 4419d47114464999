/** Shows help: loads oclif's own help with everything it needs, and corrects a few of its texts. */
import type { Command } from '@oclif/core/command';
import { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import type { PJSON } from '@oclif/core/interfaces';
import { mayRunDry } from './dry-run-commands.ts';

/** Prints the help of a command or topic, or of the program if `id` is empty. */
export async function showOclifHelp(id: string, root: string, pjson: PJSON): Promise<void> {
  const options = { root, pjson, isRoot: true } as Parameters<typeof Config.load>[0];
  const config = await Config.load(options);
  await new WrappedHelp(config, pjson.oclif.helpOptions).showHelp(id === '' ? [] : [id]);
}

const DRY_RUN_FLAGS: ReadonlySet<string> = new Set(['dry-run', 'with-values']);

class OneCommandHelp extends CommandHelp {
  /** The summary is at the top already. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description === undefined ? undefined : this.wrap(description);
  }

  /** Hides flags that this command would refuse. */
  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    return super.flags(flags.filter(({ name }) => mayRunDry(this.command.id) || !DRY_RUN_FLAGS.has(name)));
  }
}

class WrappedHelp extends Help {
  protected override CommandHelpClass = OneCommandHelp;

  /** Lists a command by its current name only. Its own help shows former names. */
  protected override get sortedCommands(): Command.Loadable[] {
    return super.sortedCommands.filter(({ id, aliases }) => !aliases.includes(id));
  }

  protected override log(...texts: string[]): void {
    process.stdout.write(`${texts.join(' ')}\n`);
  }

  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary === undefined ? undefined : this.wrap(summary, 0);
  }

  override formatRoot(): string {
    const [summary = '', ...rest] = super.formatRoot().split('\n');
    return [this.wrap(summary, 0), ...rest].join('\n');
  }
}
