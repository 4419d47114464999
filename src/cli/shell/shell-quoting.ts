/** Assignments of environment variables in the syntax of each shell. Evaluating them executes nothing of a value. */
import { CliError } from './failure.ts';
import { fishQuoted, powershellQuoted, shQuoted } from '../../kernel/text/shell-word.ts';

export const SHELLS = ['sh', 'fish', 'powershell', 'dotenv', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

/** Lines that set `variables` when the shell evaluates them, or an object for json. */
export function assignments(variables: Readonly<Record<string, string>>, shell: Shell): string {
  if (shell === 'json') return JSON.stringify(variables);
  return Object.entries(variables)
    .map(([name, value]) => assignment(name, value, shell))
    .join('\n');
}

/** The shell of a SHELL variable; sh represents all similar ones. */
export function shellOf(path: string | undefined): Shell {
  const name = (path ?? '').split(/[\\/]/).at(-1) ?? '';
  if (name === 'fish') return 'fish';
  return /^(?:pwsh|powershell)(?:\.exe)?$/.test(name) ? 'powershell' : 'sh';
}

function assignment(name: string, value: string, shell: Exclude<Shell, 'json'>): string {
  if (!VARIABLE.test(name)) throw new Error('no shell has a variable of this name');
  requireNoNul(name, value);
  switch (shell) {
    case 'sh':
      return `export ${name}=${shQuoted(value)}`;
    case 'fish':
      return `set -gx ${name} ${fishQuoted(value)}`;
    case 'powershell':
      return `$env:${name} = ${powershellQuoted(value)}`;
    case 'dotenv':
      return `${name}=${dotenvValue(value)}`;
  }
}

/** A variable can't hold NUL. Throws CliError. */
export function requireNoNul(name: string, value: string, hint?: string): void {
  if (!value.includes('\0')) return;
  throw new CliError(`The output ${name} of a fixture contains a NUL, which a variable can't hold`, {
    code: 'fixture_failed',
    hint,
  });
}

const VARIABLE = /^[A-Za-z_]\w*$/;

/**
 * Writes a value so that both `. FILE` in a shell and a dotenv parser read the same, if there is such a form: bare;
 * in single quotes, where nothing is special for either; or in double quotes, without characters that are special for
 * one. If there is none, the shell's syntax is used, because anything else could be a command for the shell. A parser
 * that doesn't support `\$`, `\"`, `` \` `` and `\\` in double quotes then keeps the backslashes.
 */
function dotenvValue(value: string): string {
  if (/^[\w:/.@%+,-]*$/.test(value)) return value;
  // A parser treats a backslash before the quote as part of the value.
  if (!value.includes("'") && !value.endsWith('\\')) return `'${value}'`;
  return `"${value.replace(/[\\$"`]/g, '\\$&')}"`;
}
