/** Runs the real CLI on a pseudo-terminal of `script` (util-linux). */
import './tier-all.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cleanEnvironment, ROOT } from './daemon.ts';

export const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** Keys to type when a text has appeared. */
export interface Typing {
  readonly after: RegExp;
  readonly keys: string;
}

interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  readonly typing: readonly Typing[];
  /** When the command is killed; by default it never is. */
  readonly timeout?: number;
}

/** Runs a command on a pseudo-terminal. `screen` is everything that appeared, `waiting` what was not typed. */
export async function onTerminal(command: string, { typing, ...options }: Terminal) {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
    killSignal: 'SIGKILL',
  });
  let screen = '';
  let seen = 0;
  const waiting = [...typing];
  // An encoding keeps characters whole. A block of a QR code may be split between two chunks.
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    for (let next = waiting[0]; next?.after.test(screen.slice(seen)); next = waiting[0]) {
      seen = screen.length;
      child.stdin.write(next.keys);
      waiting.shift();
    }
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, screen, waiting };
}

export interface TerminalSession {
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly typing?: readonly Typing[];
}

/** Runs the CLI on a terminal. */
export async function runOnTerminal(
  argv: readonly string[],
  { home, environment, cwd, typing = [] }: TerminalSession,
): Promise<{ code: number; screen: string }> {
  // The CLI replaces the shell. A waiting shell would end at Ctrl-C itself, whatever the CLI does.
  const command = `exec ${[process.execPath, join(ROOT, 'bin', 'kyclone.js'), ...argv].map(quoted).join(' ')}`;
  const env = cleanEnvironment(home, { TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment });
  return await onTerminal(command, { env, cwd, typing });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
