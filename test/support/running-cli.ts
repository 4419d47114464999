/** Runs a command of the built CLI until it is stopped, and reads its `--json` output line by line. */
import { linesOf, spawnCli } from './cli.ts';

export type Line = Readonly<Record<string, unknown>>;

export type RunningCli = Awaited<ReturnType<typeof startCli>>;

/** Resolves when the command has printed its first line. Throws when it ends without one. */
export async function startCli(argv: readonly string[], options: { home: string; cwd?: string }) {
  const { child, output, ended } = spawnCli([...argv, '--json'], options);
  const nextLine = linesOf(child);
  /** Returns the next line, or undefined at the end. */
  const next = async () => {
    const line = await nextLine();
    return line === undefined ? undefined : (JSON.parse(line) as Line);
  };
  const first = await next();
  if (first === undefined) throw new Error(`${argv.join(' ')} printed nothing: ${output.stderr}`);
  return {
    first,
    next,
    /** Stops reading the command's output. */
    leave: () => child.stdout?.destroy(),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** The exit code, or 128 plus the number of the signal, and the whole text of stderr. */
    ended: ended.then(({ code, stderr }) => ({ code, stderr })),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
