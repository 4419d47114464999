import { BaseCommand } from '../../shell/base-command.ts';
import { shellArg, shellFlag, chooseShell, placeOf, shippedScript } from '../../completion/shells.ts';
import { install, type Installation, installationView } from '../../completion/install.ts';

export default class CompletionInstall extends BaseCommand<Installation> {
  static override summary = 'Install completions for your shell';
  static override description =
    'bash and fish find the script by themselves; zsh and PowerShell get a marked block in their start-up file. It never replaces anything that kyclone did not write.';
  static override examples = [
    '<%= config.bin %> completion install --shell fish',
    '<%= config.bin %> completion install --shell zsh --json',
  ];
  static override args = shellArg;
  static override flags = shellFlag;

  async run(): Promise<Installation> {
    const { args, flags } = await this.parse(CompletionInstall);
    const shell = chooseShell(flags.shell ?? args.shell, this.environment.shell);
    const place = placeOf(shell, this.environment.shellFolders);
    return this.present(install(shell, place, shippedScript(this.config.root, shell)), installationView);
  }
}
