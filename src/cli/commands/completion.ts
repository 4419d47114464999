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

interface Named {
  readonly shell: string | undefined;
}

const forShell =
  <Result>(act: (shell: CompletionShell, from: From) => Result) =>
  ({ args, flags }: Given<Named, Named>, from: From) => {
    if (args.shell !== undefined && flags.shell !== undefined)
      throw new UsageError('Only one shell can be given: SHELL or --shell');
    return act(chooseShell(flags.shell ?? args.shell, from.environment.shell), from);
  };

const shell = { args: shellArg, flags: shellFlag };
const changing = { ...shell, examples: ['--shell fish', '--shell zsh --json'], view: installationView };

export default {
  'completion:install': made(
    {
      ...changing,
      summary: 'Install completions for your shell',
      description:
        'bash and fish find the script by themselves; zsh and PowerShell get a marked block in their start-up file. It never replaces anything that kyclone did not write.',
    },
    forShell((shell, { environment, config: { root } }) =>
      install(shell, placeOf(shell, environment.shellFolders), shippedScript(root, shell)),
    ),
  ),
  'completion:print': made(
    {
      ...shell,
      summary: 'Print the completion script of a shell',
      examples: ['--shell fish > kyclone.fish', 'eval "$(<%= config.bin %> completion print --shell bash)"'],
      view: ({ script }: { script: string }) => script.trimEnd(),
    },
    forShell((shell, { config: { root } }) => ({ shell, script: shippedScript(root, shell) })),
  ),
  'completion:uninstall': made(
    { ...changing, summary: 'Remove the completions of a shell' },
    forShell((shell, { environment }) => uninstall(shell, placeOf(shell, environment.shellFolders))),
  ),
};
