/** Runs a command of the built CLI until it is stopped, and reads its `--json` output line by line. */
import { linesOf, spawnCli } from './cli.ts';

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
export async function startCli(
  argv: readonly string[],
  options: { home: string; cwd?: string },
): Promise<RunningCli> {
  const { child, output, ended } = spawnCli([...argv, '--json'], options);
  const nextLine = linesOf(child);
  const next = async () => {
    const line = await nextLine();
    return line === undefined ? undefined : (JSON.parse(line) as Line);
  };
  const first = await next();
  if (first === undefined) throw new Error(`${argv.join(' ')} printed nothing: ${output.stderr}`);
  return {
    first,
    next,
    leave: () => child.stdout?.destroy(),
    kill: (signal) => void child.kill(signal),
    ended: ended.then(({ code, stderr }) => ({ code, stderr })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
