/**
 * The shells with completions: their scripts in the package, their names as an argument, where each looks for a user's
 * completions, and how a script gets there.
 */
import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { ServiceError } from '../../kernel/errors.ts';
import { placeToWrite } from '../../kernel/files/file-to-write.ts';
import { makeFolder } from '../../kernel/files/private-folder.ts';
import { powershellQuoted, shQuoted } from '../../kernel/text/shell-word.ts';
import { readOwnFile } from '../../kernel/program/single-file.ts';
import { join, dirname } from 'node:path';
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { causeOf, isSystemError } from '../../kernel/system-failure.ts';
import type { ShellFolders } from '../shell/environment.ts';
import { UsageError, CliError } from '../shell/failure.ts';
import { padded } from '../shell/layout.ts';
import { printable } from '../shell/output.ts';

/** File names of the scripts, as each shell expects them. */
export const SCRIPTS = {
  bash: 'kyclone.bash',
  zsh: '_kyclone',
  fish: 'kyclone.fish',
  powershell: 'kyclone.ps1',
} as const;
export type CompletionShell = keyof typeof SCRIPTS;
const COMPLETION_SHELLS = Object.keys(SCRIPTS) as readonly CompletionShell[];

/** The path of the script, and the lines for a start-up file. */
export interface ScriptPlace {
  readonly script: string;
  readonly startUp?: { readonly file: string; readonly lines: readonly string[] };
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
  shell: stringArg({ description: 'the same as --shell', options: [...COMPLETION_SHELLS] }),
};

// Installs a completion script where its shell looks for it, and removes it again. Replaces and removes only what
// kyclone wrote before: it recognises a script by its first lines, and lines in a start-up file by the marks around
// them. It leaves a start-up file alone that is a link or not writable. Files are written atomically.

interface Installation {
  readonly shell: CompletionShell;
  readonly files: readonly { readonly path: string; readonly action: Action }[];
  readonly next: string;
}
type Action = 'written' | 'updated' | 'unchanged' | 'removed' | 'absent';

const BEGIN = '# >>> kyclone completion >>>';
const END = '# <<< kyclone completion <<<';
const OURS = /completion for kyclone\. Generated by/;
const MAY_WRITE = 0o200;

/** Checks everything before it writes anything. Throws CliError. */
export function install(
  shell: CompletionShell,
  { script, startUp, next }: ScriptPlace,
  content: string,
): Installation {
  const before = readOurs(script);
  const start = startUp === undefined ? undefined : readStartUp(startUp.file, startUp.lines);
  const files = [{ path: script, action: write(script, before, content, 0o644) }];
  if (startUp !== undefined && start !== undefined) {
    const block = [BEGIN, ...startUp.lines, END].join('\n');
    const after =
      replacedBlock(start.text, `${block}\n`) ??
      `${start.text}${start.text === '' || start.text.endsWith('\n') ? '' : '\n'}${block}\n`;
    const old = start.isThere ? start.text : undefined;
    files.push({ path: startUp.file, action: write(startUp.file, old, after, start.mode) });
  }
  return { shell, files, next };
}

/** Removes what `install` wrote. Something missing is not an error. Throws CliError. */
export function uninstall(shell: CompletionShell, { script, startUp }: ScriptPlace): Installation {
  const before = readOurs(script);
  const start = startUp === undefined ? undefined : readStartUp(startUp.file, []);
  const files: { path: string; action: Action }[] = [
    { path: script, action: before === undefined ? 'absent' : remove(script) },
  ];
  if (startUp !== undefined && start !== undefined) {
    const after = replacedBlock(start.text, '');
    if (after !== undefined) attempt(startUp.file, () => replaceWhole(startUp.file, after, start.mode));
    files.push({ path: startUp.file, action: after === undefined ? 'absent' : 'removed' });
  }
  return { shell, files, next: 'Open shells keep it until they end' };
}

/** Replaces the lines between the marks by `block`; undefined if the text has no marks. */
function replacedBlock(text: string, block: string): string | undefined {
  const from = text.indexOf(`${BEGIN}\n`);
  if (from === -1) return undefined;
  const end = text.indexOf(`\n${END}`, from + BEGIN.length + 1);
  if (end === -1) return undefined;
  const after = text.slice(end + 1 + END.length);
  return text.slice(0, from) + block + (after.startsWith('\n') ? after.slice(1) : after);
}

function readOurs(path: string): string | undefined {
  const stats = attempt(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return undefined;
  const text = stats.isFile() ? attempt(path, () => readFileSync(path, 'utf8')) : '';
  if (OURS.test(text.slice(0, 300))) return text;
  throw refused(`${path} exists and was not written by kyclone`, 'move it away first');
}

function readStartUp(
  path: string,
  lines: readonly string[],
): { text: string; mode: number; isThere: boolean } {
  const stats = attempt(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return { text: '', mode: 0o644, isThere: false };
  const bytes = stats.isFile() ? attempt(path, () => readFileSync(path)) : Buffer.alloc(0);
  const why = stats.isSymbolicLink()
    ? 'is a symbolic link'
    : !stats.isFile()
      ? 'is not a file'
      : (stats.mode & MAY_WRITE) === 0
        ? 'is read-only'
        : !isUtf8(bytes)
          ? 'is not UTF-8 text'
          : undefined;
  if (why !== undefined) {
    const hint =
      lines.length === 0 ? `remove the lines from "${BEGIN}" yourself` : `add yourself: ${lines.join('; ')}`;
    throw refused(`${path} ${why}, so kyclone does not change it`, hint);
  }
  return { text: bytes.toString('utf8'), mode: stats.mode & 0o777, isThere: true };
}

function write(path: string, before: string | undefined, content: string, mode: number): Action {
  if (before === content) return 'unchanged';
  attempt(path, () => {
    makeFolder(dirname(path), 0o755);
    replaceWhole(path, content, mode);
  });
  return before === undefined ? 'written' : 'updated';
}

function remove(path: string): Action {
  attempt(path, () => rmSync(path));
  return 'removed';
}

function replaceWhole(path: string, content: string, mode: number): void {
  const partial = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    placeToWrite(dirname(path));
    writeFileSync(partial, content, { mode, flag: 'wx' });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

function attempt<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof ServiceError) throw refused(error.message);
    const where = isSystemError(error) ? (error.path ?? path) : path;
    throw refused(`${where} cannot be read or written: ${causeOf(error) ?? 'failed'}`);
  }
}

function refused(message: string, hint?: string): CliError {
  return new CliError(message, { code: 'completion_refused', hint });
}

const ACTION_WIDTH = 'unchanged'.length;

/** Does not wrap paths and lines that the user copies. */
export function installationView({ files, next }: Installation): string {
  const lines = files.map(({ path, action }) => `${padded(action, ACTION_WIDTH)}  ${printable(path)}`);
  return [...lines, printable(next)].join('\n');
}
