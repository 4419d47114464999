/** Real shells that complete a command line. Their PATH has the real CLI as `kyclone`. */
import './tier-all.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, ROOT } from './daemon.ts';
import { PATIENCE_MS } from './patience.ts';

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
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  const file = join(bin, 'kyclone');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin', 'kyclone.js')}' "$@"\n`);
  chmodSync(file, 0o755);
  return cleanEnvironment(home, {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
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

/** Runs a shell on a pseudo-terminal. Each entry's keys are typed when its `after` has appeared. */
export async function typeInto(
  command: string,
  { home, typing }: { home: string; typing: readonly { readonly after: RegExp; readonly keys: string }[] },
): Promise<string> {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: shellEnvironment(home, { SHELL: '/bin/sh' }),
    cwd: home,
  });
  let screen = '';
  let seen = 0;
  const waiting = [...typing];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    for (let next = waiting[0]; next?.after.test(screen.slice(seen)); next = waiting[0]) {
      seen = screen.length;
      child.stdin.write(next.keys);
      waiting.shift();
    }
  });
  // If the awaited text never appears, the shell would wait for ever.
  const end = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await once(child, 'close');
  clearTimeout(end);
  if (waiting.length > 0) throw new Error(`${String(waiting[0]?.after)} never appeared: ${screen}`);
  return screen;
}
