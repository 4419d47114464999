/** Assignments of environment variables in the words of each shell. */

export const SHELLS = ['sh', 'fish', 'powershell', 'dotenv', 'json'] as const;
export type Shell = (typeof SHELLS)[number];

/** Lines that set `variables` when the shell evaluates them, or an object for json. */
export function assignments(variables: Readonly<Record<string, string>>, shell: Shell): string {
  if (shell === 'json') return JSON.stringify(variables);
  return Object.entries(variables)
    .map(([name, value]) => assignment(name, value, shell))
    .join('\n');
}

/** The shell of a SHELL variable; sh speaks for all that are like it. */
export function shellOf(path: string | undefined): Shell {
  const name = (path ?? '').split(/[\\/]/).at(-1) ?? '';
  if (name === 'fish') return 'fish';
  return /^(?:pwsh|powershell)(?:\.exe)?$/.test(name) ? 'powershell' : 'sh';
}

function assignment(name: string, value: string, shell: Exclude<Shell, 'json'>): string {
  switch (shell) {
    case 'sh':
      return `export ${name}='${value.replaceAll("'", "'\\''")}'`;
    case 'fish':
      return `set -gx ${name} '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
    case 'powershell':
      return `$env:${name} = '${value.replaceAll("'", "''")}'`;
    case 'dotenv':
      return `${name}=${dotenvValue(value)}`;
  }
}

/** Bare where that is safe; in single quotes, where nothing is special, unless the value holds one. */
function dotenvValue(value: string): string {
  if (/^[\w:/.@%+=,-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`;
}
