/** The real CLI, `bin/kyclone.js` as built. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment, ROOT } from './daemon.ts';

export interface CliOutcome {
  /** The exit code, or 128 plus the number of the signal. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly home: string;
  /** Further variables; undefined removes one. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The text for stdin; by default stdin is `/dev/null`. */
  readonly stdin?: string;
  /** The working directory; by default the home. */
  readonly cwd?: string;
  /** The folder of the package; by default this one. */
  readonly root?: string;
  /** A program that runs the CLI, such as `sh -c …`. */
  readonly under?: readonly string[];
}

interface SpawnOptions extends Omit<CliOptions, 'stdin'> {
  /** By default stdin is `/dev/null`, and what is printed is collected. */
  readonly stdio?: readonly [stdin: Stream, stdout: Stream, stderr: Stream];
}
type Stream = 'ignore' | 'pipe' | number;

/** Starts the CLI; `output` has what it has printed so far. */
export function spawnCli(
  argv: readonly string[],
  {
    home,
    environment,
    cwd = home,
    root = ROOT,
    under = [],
    stdio = ['ignore', 'pipe', 'pipe'],
  }: SpawnOptions,
) {
  const words = [...under, process.execPath, join(root, 'bin', 'kyclone.js'), ...argv];
  const env = cleanEnvironment(home, environment);
  const child = spawn(words[0] ?? '', words.slice(1), { stdio: [...stdio], env, cwd });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  const ended = new Promise<CliOutcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), ...output }),
    );
  });
  return { child, output, ended };
}

/** Returns a function that reads the next line of a CLI that was just started, or undefined at the end. */
export function linesOf({ stdout }: ChildProcess): () => Promise<string | undefined> {
  if (!stdout) throw new Error('stdout is not read');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
    return done === true ? undefined : value;
  };
}

/** Runs the CLI and waits until it has ended. */
export async function runCli(
  argv: readonly string[],
  { stdin, ...options }: CliOptions,
): Promise<CliOutcome> {
  const stdio = [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const;
  const { child, ended } = spawnCli(argv, { ...options, stdio });
  child.stdin?.end(stdin);
  return await ended;
}

/** Returns the object that a command printed under `--json`. */
export function jsonOf({ stdout }: CliOutcome): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}
