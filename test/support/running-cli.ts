/** Runs a command of the built CLI until it is stopped, and reads its `--json` output line by line. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment, ROOT } from './daemon.ts';

export type Line = Readonly<Record<string, unknown>>;

export interface RunningCli extends AsyncDisposable {
  /** The first line. */
  readonly first: Line;
  /** Returns the next line, or undefined at the end. */
  next(): Promise<Line | undefined>;
  /** Stops reading the command's output. */
  leave(): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code, or 128 plus the number of the signal, and the whole text of stderr. */
  readonly ended: Promise<{ code: number; stderr: string }>;
}

/** Resolves when the command has printed its first line. Throws when it ends without one. */
export async function startCli(argv: readonly string[], { home }: { home: string }): Promise<RunningCli> {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'kyclone.js'), ...argv, '--json'], {
    env: cleanEnvironment(home),
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    return done === true ? undefined : (JSON.parse(value) as Line);
  };
  const ended = once(child, 'close').then((args) => {
    const [code, signal] = args as [number | null, NodeJS.Signals | null];
    return { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), stderr };
  });
  const first = await next();
  if (first === undefined) throw new Error(`${argv.join(' ')} printed nothing: ${stderr}`);
  return {
    first,
    next,
    leave: () => child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
