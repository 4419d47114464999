/** Shows help: loads oclif's own help with everything it needs, and corrects a few of its texts. */
import type { Command } from '@oclif/core/command';
import { Config } from '@oclif/core/config';
import { CommandHelp, Help } from '@oclif/core/help';
import type { PJSON } from '@oclif/core/interfaces';
import { DRY_RUN_FLAGS, mayRunDry } from './dry-run-commands.ts';

/** Prints the help of a command or topic, or of the program if `id` is empty. */
export async function showOclifHelp(id: string, root: string, pjson: PJSON): Promise<void> {
  const options = { root, pjson, isRoot: true } as Parameters<typeof Config.load>[0];
  const config = await Config.load(options);
  await new WrappedHelp(config, pjson.oclif.helpOptions).showHelp(id === '' ? [] : [id]);
}

/** A space at which a line doesn't break. */
const NO_BREAK = '\u00a0';
/** Longer lists of choices are left to the explanation of the flag. */
const WIDEST_CHOICES = 60;
/** Wider than this, a line breaks within the brackets, too. */
const WIDEST_GROUP = 74;

class OneCommandHelp extends CommandHelp {
  /** The command's own flags; the global ones stand under their own heading. */
  protected override defaultUsage(): string {
    const own = Object.entries(this.command.flags).filter(([, { helpGroup }]) => helpGroup !== 'GLOBAL');
    const names = new Set(own.map(([name]) => name));
    const flags = Object.fromEntries(
      own.map(([name, flag]) => [
        name,
        {
          ...flag,
          ...(choices(flag).length > WIDEST_CHOICES && { helpValue: '<option>' }),
          // oclif would leave a place for a global flag that this one excludes.
          exclusive: flag.exclusive?.filter((other) => names.has(other)) ?? [],
        },
      ]),
    );
    const whole = super.defaultUsage.call(
      new OneCommandHelp({ ...this.command, flags }, this.config, this.opts),
    );
    // A flag and its value stay together, and so does what stands in brackets.
    const kept = whole
      .replaceAll(/[[(][^[(\])]*[\])]/g, (group) =>
        group.length > WIDEST_GROUP ? group : group.replaceAll(' ', NO_BREAK),
      )
      .replaceAll(/(?<=[\s[(])(-[\w-]+) (?=[^[(|\s-])/g, `$1${NO_BREAK}`);
    return `${kept} [GLOBAL${NO_BREAK}FLAGS]`;
  }

  protected override usage(): string {
    return super.usage().replaceAll(NO_BREAK, ' ');
  }

  /** The summary is at the top already. */
  protected override description(): string | undefined {
    const { description } = this.command;
    return description === undefined ? undefined : this.wrap(description);
  }

  /** Hides flags that this command would refuse. Lists choices so that lines can break between them. */
  protected override flags(flags: Command.Flag.Any[]): [string, string | undefined][] | undefined {
    const id = this.command.id.replaceAll(' ', ':');
    const taken = flags.filter(({ name }) => mayRunDry(id) || !DRY_RUN_FLAGS.has(name));
    return super
      .flags(taken)
      ?.map(([name, text], index) => [
        name,
        text?.replace(`<options: ${choices(taken[index])}>`, `one of: ${choices(taken[index], ', ')}`),
      ]);
  }
}

function choices(flag: Command.Flag.Any | undefined, separator = '|'): string {
  return flag?.type === 'option' ? (flag.options ?? []).join(separator) : '';
}

class WrappedHelp extends Help {
  protected override CommandHelpClass = OneCommandHelp;
  #shown: Command.Loadable | undefined;

  /** Lists a command by its current name only. Its own help shows former names. */
  protected override get sortedCommands(): Command.Loadable[] {
    return super.sortedCommands.filter(({ id, aliases }) => !aliases.includes(id));
  }

  protected override log(...texts: string[]): void {
    process.stdout.write(`${texts.join(' ')}\n`);
  }

  override async showCommandHelp(command: Command.Loadable): Promise<void> {
    this.#shown = command;
    await super.showCommandHelp(command);
  }

  /** Wraps the summary above the help of a command. A list wraps its summaries in their column. */
  protected override summary(command: Command.Loadable): string | undefined {
    const summary = super.summary(command);
    return summary !== undefined && command === this.#shown ? this.wrap(summary, 0) : summary;
  }

  override formatRoot(): string {
    const [summary = '', ...rest] = super.formatRoot().split('\n');
    return [this.wrap(summary, 0), ...rest].join('\n');
  }
}
