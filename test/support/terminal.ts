/** Runs the real CLI on a pseudo-terminal of `script` (util-linux). */
import './tier-all.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cleanEnvironment, ROOT } from './daemon.ts';

export const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

export interface TerminalSession {
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Keys to type. Each entry's keys are typed when its `after` has appeared. */
  readonly typing?: readonly { readonly after: RegExp; readonly keys: string }[];
}

/** Runs the CLI on a terminal. `screen` is everything that appeared on it. */
export async function runOnTerminal(
  argv: readonly string[],
  { home, environment, cwd, typing = [] }: TerminalSession,
): Promise<{ code: number; screen: string }> {
  // The CLI replaces the shell. A waiting shell would end at Ctrl-C itself, whatever the CLI does.
  const command = `exec ${[process.execPath, join(ROOT, 'bin', 'kyclone.js'), ...argv].map(quoted).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd,
    env: cleanEnvironment(home, { TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment }),
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
  return { code, screen };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
