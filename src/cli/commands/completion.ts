import { UsageError } from '../shell/failure.ts';
import { made, type From, type Given } from '../shell/derived.ts';
import {
  install,
  installationView,
  uninstall,
  chooseShell,
  placeOf,
  shellArg,
  shellFlag,
  shippedScript,
  type CompletionShell,
} from '../completion/shells.ts';

interface PrintedScript {
  readonly shell: CompletionShell;
  readonly script: string;
}

interface Named {
  readonly shell: string | undefined;
}

const shellOf = ({ args, flags }: Given<Named, Named>, { environment }: From) => {
  if (args.shell !== undefined && flags.shell !== undefined)
    throw new UsageError('Only one shell can be given: SHELL or --shell');
  return chooseShell(flags.shell ?? args.shell, environment.shell);
};

const shell = { args: shellArg, flags: shellFlag };

export default {
  'completion:install': made(
    {
      ...shell,
      summary: 'Install completions for your shell',
      description:
        'bash and fish find the script by themselves; zsh and PowerShell get a marked block in their start-up file. It never replaces anything that kyclone did not write.',
      examples: ['--shell fish', '--shell zsh --json'],
      view: installationView,
    },
    (given, from) => {
      const shell = shellOf(given, from);
      const place = placeOf(shell, from.environment.shellFolders);
      return install(shell, place, shippedScript(from.root, shell));
    },
  ),
  'completion:print': made(
    {
      ...shell,
      summary: 'Print the completion script of a shell',
      examples: ['--shell fish > kyclone.fish', 'eval "$(<%= config.bin %> completion print --shell bash)"'],
      view: ({ script }: PrintedScript) => script.trimEnd(),
    },
    (given, from) => {
      const shell = shellOf(given, from);
      return { shell, script: shippedScript(from.root, shell) };
    },
  ),
  'completion:uninstall': made(
    {
      ...shell,
      summary: 'Remove the completions of a shell',
      examples: ['--shell fish', '--shell zsh --json'],
      view: installationView,
    },
    (given, from) => {
      const shell = shellOf(given, from);
      return uninstall(shell, placeOf(shell, from.environment.shellFolders));
    },
  ),
};
