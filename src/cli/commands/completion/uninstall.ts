import { BaseCommand } from '../../shell/base-command.ts';
import { shellArg, shellFlag, chooseShell, placeOf } from '../../completion/shells.ts';
import { uninstall, type Installation, installationView } from '../../completion/install.ts';

export default class CompletionUninstall extends BaseCommand<Installation> {
  static override summary = 'Remove the completions of a shell';
  static override examples = [
    '<%= config.bin %> completion uninstall --shell fish',
    '<%= config.bin %> completion uninstall --shell zsh --json',
  ];
  static override args = shellArg;
  static override flags = shellFlag;

  async run(): Promise<Installation> {
    const { args, flags } = await this.parse(CompletionUninstall);
    const shell = chooseShell(flags.shell ?? args.shell, this.environment.shell);
    return this.present(uninstall(shell, placeOf(shell, this.environment.shellFolders)), installationView);
  }
}
