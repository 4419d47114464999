/**
 * The shells with completions: their scripts in the package, their names as an argument, and where each looks for a
 * user's completions.
 */
import { powershellQuoted, shQuoted } from '../../kernel/shell-word.ts';
import { readOwnFile } from '../../kernel/single-file.ts';
import { join } from 'node:path';
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { ShellFolders } from '../shell/environment.ts';
import { UsageError } from '../shell/failure.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type CompletionShell = (typeof COMPLETION_SHELLS)[number];

const SCRIPTS: Readonly<Record<CompletionShell, string>> = {
  bash: 'kyclone.bash',
  zsh: '_kyclone',
  fish: 'kyclone.fish',
  powershell: 'kyclone.ps1',
};

/** The path of the script, and the lines for a start-up file. */
export interface ScriptPlace {
  readonly script: string;
  readonly startUp?: { readonly file: string; readonly lines: readonly string[] };
  /** The next step for the user. */
  readonly next: string;
}

/** The script that comes with the package at `root`. */
export function shippedScript(root: string, shell: CompletionShell): string {
  return readOwnFile(join(root, 'completions', SCRIPTS[shell]));
}

/** The requested shell, or else that of $SHELL. Throws UsageError for a shell without completions. */
export function chooseShell(flag: string | undefined, path: string | undefined): CompletionShell {
  if (flag !== undefined) return flag as CompletionShell;
  const name = (path ?? '').split(/[\\/]/).at(-1) ?? '';
  if (/^(?:pwsh|powershell)(?:\.exe)?$/.test(name)) return 'powershell';
  const known = COMPLETION_SHELLS.find((shell) => shell === name);
  if (known) return known;
  throw new UsageError(
    '$SHELL names no shell with completions',
    `choose one with --shell: ${COMPLETION_SHELLS.join(', ')}`,
  );
}

export function placeOf(shell: CompletionShell, folders: ShellFolders): ScriptPlace {
  switch (shell) {
    case 'bash': {
      const script = join(folders.bash, 'completions', 'kyclone');
      const line = `source ${shQuoted(script)}`;
      return {
        script,
        next: `Open a new shell. Without the package bash-completion, add to ~/.bashrc: ${line}`,
      };
    }
    case 'zsh': {
      const folder = join(folders.data, 'zsh', 'site-functions');
      return {
        script: join(folder, '_kyclone'),
        startUp: {
          file: join(folders.zsh, '.zshrc'),
          lines: [
            `fpath=(${shQuoted(folder)} $fpath)`,
            '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
            'autoload -Uz _kyclone && compdef _kyclone kyclone',
          ],
        },
        next: 'Open a new shell, or: exec zsh',
      };
    }
    case 'fish':
      return {
        script: join(folders.fish, 'completions', 'kyclone.fish'),
        next: 'Nothing more to do: fish finds it automatically',
      };
    case 'powershell': {
      const script = join(folders.powershell, 'kyclone-completion.ps1');
      return {
        script,
        startUp: {
          file: join(folders.powershell, 'Microsoft.PowerShell_profile.ps1'),
          lines: [`. ${powershellQuoted(script)}`],
        },
        next: 'Open a new PowerShell, or: . $PROFILE',
      };
    }
  }
}

export const shellFlag = {
  shell: string({
    summary: 'the shell (default: that of $SHELL)',
    options: [...COMPLETION_SHELLS],
    helpValue: 'SHELL',
  }),
};

/** An alternative, because other programs take it so: `completion install fish`. */
export const shellArg = {
  shell: stringArg({
    description: 'the same as --shell',
    options: [...COMPLETION_SHELLS],
  }),
};
