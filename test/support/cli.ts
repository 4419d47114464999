/** The real CLI, `bin/kyclone.js` as built. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
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

/** Runs the CLI and waits until it has ended. */
export async function runCli(
  argv: readonly string[],
  { home, environment, stdin, cwd = home, root = ROOT, under = [] }: CliOptions,
): Promise<CliOutcome> {
  const words = [...under, process.execPath, join(root, 'bin', 'kyclone.js'), ...argv];
  const child = spawn(words[0] ?? '', words.slice(1), {
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: cleanEnvironment(home, environment),
    cwd,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  child.stdin?.end(stdin);
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), ...output }),
    );
  });
}

/** Returns the object that a command printed under `--json`. */
export function jsonOf({ stdout }: CliOutcome): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}
