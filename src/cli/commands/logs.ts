import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { untilEnd } from '../shell/ending.ts';
import { CliError } from '../shell/failure.ts';
import { integerFlag } from '../shell/flags.ts';
import { followLines, lastLines } from '../instance/log-file.ts';
import { printableJson } from '../../kernel/text/terminal-text.ts';
import { printable } from '../shell/output.ts';
import { logEntry, logLineView } from '../instance/view.ts';

export default class Logs extends BaseCommand {
  static override isStream = true;
  static override summary = "Print the daemon's log";
  static override description = 'With --json the lines are printed as written: one JSON object each.';
  static override examples = ['--lines 20', '-f'];
  static override flags = {
    follow: boolean({ char: 'f', summary: 'keep printing new lines' }),
    lines: integerFlag({
      char: 'n',
      summary: 'how many lines from the end',
      default: 100,
      min: 0,
      helpValue: 'N',
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logs);
    const { name, paths } = await this.target();
    const tail = lastLines(paths.logFile, flags.lines);
    if (tail === undefined) {
      throw new CliError(`Instance ${name} has no log yet`, { code: 'not_found' });
    }
    const show = (line: string) => {
      if (this.isJson) this.print(process.stdout.isTTY ? printableJson(line) : line);
      else this.presentEntry(logEntry(line), () => printable(logLineView(line)));
    };
    tail.lines.forEach(show);
    if (!flags.follow) return;
    this.endWith(
      await untilEnd(async ({ signal }) => await followLines(paths.logFile, tail.end, { show, signal })),
    );
  }
}
