/**
 * The shells that have completions: their scripts in the package, the argument that names one, and where each looks
 * for what its user has added.
 */
import { powershellQuoted, shQuoted } from '../../kernel/shell-word.ts';
import { readFileSync } from 'node:fs';
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

/** Where the script goes, and the lines that a start-up file needs for it. */
export interface ScriptPlace {
  readonly script: string;
  readonly startUp?: { readonly file: string; readonly lines: readonly string[] };
  /** What the user does next. */
  readonly next: string;
}

/** The script as the package at `root` brings it. */
export function shippedScript(root: string, shell: CompletionShell): string {
  return readFileSync(join(root, 'completions', SCRIPTS[shell]), 'utf8');
}

/** The shell that is asked for, else the one of $SHELL. Throws UsageError for one without completions. */
export function chooseShell(flag: string | undefined, path: string | undefined): CompletionShell {
  if (flag !== undefined) return flag as CompletionShell;
  const name = (path ?? '').split(/[\\/]/).at(-1) ?? '';
  if (/^(?:pwsh|powershell)(?:\.exe)?$/.test(name)) return 'powershell';
  const known = COMPLETION_SHELLS.find((shell) => shell === name);
  if (known) return known;
  throw new UsageError(
    '$SHELL names no shell that has completions',
    `--shell says which: ${COMPLETION_SHELLS.join(', ')}`,
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
        next: 'Nothing more: fish finds it by itself',
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
    summary: 'which shell (default: that of $SHELL)',
    options: [...COMPLETION_SHELLS],
    helpValue: 'SHELL',
  }),
};

/** As other programs have it: `completion install fish`. */
export const shellArg = {
  shell: stringArg({
    description: 'the same as --shell',
    options: [...COMPLETION_SHELLS],
  }),
};
