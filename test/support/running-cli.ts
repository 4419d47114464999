/** A command of the real binary that runs until it is stopped, read line by line under `--json`. */
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
  /** The next line; undefined when there are no more. */
  next(): Promise<Line | undefined>;
  /** Stops reading what it prints. */
  leave(): void;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or 128 and the signal's number; and all it said on stderr. */
  readonly ended: Promise<{ code: number; stderr: string }>;
}

/** Resolves when the command has printed its first line; fails when it ends without one. */
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
