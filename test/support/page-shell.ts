/** Runs the commands of a page of the documentation, one after another in one shell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cliOnPath } from './cli-on-path.ts';
import { cleanEnvironment } from './daemon.ts';

/** Comes before the exit code of a command, and is in no output. */
const MARK = '\u001e';

/** The command with a line after it that prints its exit code. */
export const marked = (command: string) => `${command}\nprintf '${MARK}%s\\n' "$?"`;

/** Runs a script of marked commands in a folder. Returns what each command printed, and its exit code. */
export async function runMarked(script: string, { home, folder }: { home: string; folder: string }) {
  const child = spawn('sh', ['-c', `exec 2>&1\n${script}\n`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: cleanEnvironment(home, cliOnPath(home)),
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return [...output.matchAll(new RegExp(`([^${MARK}]*)${MARK}(\\d+)\\n`, 'g'))].map(
    ([, printed = '', code]) => ({ printed, code }),
  );
}
