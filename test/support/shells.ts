/** Real shells that complete a command line. Their PATH has the real CLI as `kyclone`. */
import './tier-all.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cliOnPath } from './cli-on-path.ts';
import { cleanEnvironment } from './daemon.ts';
import { PATIENCE_MS } from './patience.ts';
import { onTerminal, type Typing } from './terminal.ts';

/**
 * Checks whether tests with these programs run: where the programs are installed, and always in CI. In CI a missing
 * program is a failure.
 */
export function mayRun(...programs: string[]): boolean {
  const isThere = (name: string) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
  return process.env['CI'] !== undefined || programs.every(isThere);
}

/** Completion waits for the daemon, even on a slow machine. */
export const WAITING_TAB = { KYCLONE_COMPLETION_TIMEOUT: `${PATIENCE_MS}ms` };

/** Returns the environment of a shell whose `kyclone` is the CLI of this package. */
export function shellEnvironment(
  home: string,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  return cleanEnvironment(home, {
    ...cliOnPath(home),
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...WAITING_TAB,
    ...more,
  });
}

/** Runs a shell to its end and returns its stdout. Throws when it fails or writes to stderr. */
export async function runShell(
  argv: readonly [string, ...string[]],
  { home, environment }: { home: string; environment?: Readonly<Record<string, string>> },
): Promise<string> {
  const [shell, ...rest] = argv;
  const child = spawn(shell, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: shellEnvironment(home, environment),
    cwd: home,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0 || stderr !== '') throw new Error(`${shell} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Runs a shell on a pseudo-terminal. If an awaited text never appears, the shell would wait for ever. */
export async function typeInto(
  command: string,
  { home, typing }: { home: string; typing: readonly Typing[] },
): Promise<string> {
  const env = shellEnvironment(home, { SHELL: '/bin/sh' });
  const { screen, waiting } = await onTerminal(command, { env, cwd: home, typing, timeout: PATIENCE_MS });
  if (waiting.length > 0) throw new Error(`${String(waiting[0]?.after)} never appeared: ${screen}`);
  return screen;
}
