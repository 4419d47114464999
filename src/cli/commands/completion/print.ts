import { BaseCommand } from '../../shell/base-command.ts';
import {
  shellArg,
  shellFlag,
  chooseShell,
  shippedScript,
  type CompletionShell,
} from '../../completion/shells.ts';

interface PrintedScript {
  readonly shell: CompletionShell;
  readonly script: string;
}

export default class CompletionPrint extends BaseCommand<PrintedScript> {
  static override summary = 'Print the completion script of a shell';
  static override examples = [
    '<%= config.bin %> completion print --shell fish > kyclone.fish',
    'eval "$(<%= config.bin %> completion print --shell bash)"',
  ];
  static override args = shellArg;
  static override flags = shellFlag;

  async run(): Promise<PrintedScript> {
    const { args, flags } = await this.parse(CompletionPrint);
    const shell = chooseShell(flags.shell ?? args.shell, this.environment.shell);
    const script = shippedScript(this.config.root, shell);
    return this.present({ shell, script }, () => script.trimEnd());
  }
}
