/** Homes for `kyclone exec`, and commands for it to run. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { linesOf, runCli, spawnCli, type CliOptions, type CliOutcome } from './cli.ts';
import { ROOT } from './daemon.ts';
import { tempDir } from './temp-dir.ts';

export const NODE = process.execPath;
export const CLI = [NODE, join(ROOT, 'bin', 'kyclone.js')] as const;
export const node = (script: string) => ['--', NODE, '-e', script];
/** Commands that end at once. */
export const PASSING = node('');
export const FAILING = node('process.exit(1)');
/** A script that prints the pid of the daemon. */
export const PID = `fetch(process.env.KYCLONE_BASE_URL + '/_kyclone/info', { headers: { authorization: 'Bearer ' + process.env.KYCLONE_CONTROL_TOKEN } }).then((answer) => answer.json()).then(({ pid }) => console.log(pid))`;

/** Makes a home that also holds all temporary files, so that the test sees what remains. */
export function execHome() {
  const folder = tempDir();
  return {
    path: folder.path,
    /** Returns the options of a run in this home. */
    options: (options: Partial<CliOptions> = {}): CliOptions => ({
      home: folder.path,
      ...options,
      environment: { TMPDIR: folder.path, ...options.environment },
    }),
    run(argv: readonly string[], options?: Partial<CliOptions>): Promise<CliOutcome> {
      return runCli(['exec', ...argv], this.options(options));
    },
    /** Starts a run without waiting for it; returns its output lines and its end. */
    start(argv: readonly string[]) {
      const { child, output } = spawnCli(['exec', ...argv], this.options());
      const next = linesOf(child);
      return {
        child,
        // A command that outlives a killed `exec` keeps its stdout open.
        ended: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
        next: async () => String(await next()),
        stderr: () => output.stderr,
      };
    },
    left: () => readdirSync(folder.path).filter((name) => name.startsWith('kyclone-exec-')),
    read: (...names: string[]) => readFileSync(join(folder.path, ...names), 'utf8'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Runs commands of the CLI inside of `exec`, which has these variables too, and returns their outcomes. */
export async function runInside(
  home: string,
  commands: readonly (readonly string[])[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CliOutcome[]> {
  const script = `
    const { spawnSync } = require('node:child_process');
    const [[node, cli], commands, variables] = ${JSON.stringify([CLI, commands, variables])};
    const options = { encoding: 'utf8', env: { ...process.env, ...variables } };
    const outcomes = commands.map((argv) => spawnSync(node, [cli, ...argv], options));
    console.log(JSON.stringify(outcomes.map(({ status: code, stdout, stderr }) => ({ code, stdout, stderr }))));`;
  const ran = await runCli(['exec', ...node(script)], { home, environment: { ...variables, TMPDIR: home } });
  expect(ran.code, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as CliOutcome[];
}
