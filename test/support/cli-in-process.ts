/**
 * Runs the built CLI inside this process. Tests that run every command need this, because starting Node takes most of a
 * command's time. It suits commands that end by themselves. Only one command can run at a time, because the process has
 * one set of streams.
 */
import './own-process.ts';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { CliOutcome } from './cli.ts';
import { ROOT } from './daemon.ts';

type ImportModule = (path: string) => Promise<unknown>;
type Main = (argv: readonly string[], root: string, importModule: ImportModule) => Promise<void>;
type Write = typeof process.stdout.write;

export async function runInProcess(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<CliOutcome> {
  const { main } = (await import(pathToFileURL(join(ROOT, 'dist', 'cli.cjs')).href)) as { main: Main };
  const output = { stdout: '', stderr: '' };
  const before = {
    env: process.env,
    stdin: Object.getOwnPropertyDescriptor(process, 'stdin'),
    exitCode: process.exitCode,
    stdout: process.stdout.write,
    stderr: process.stderr.write,
    listeners: process.stdout.listeners('error'),
  };
  const into = (name: 'stdout' | 'stderr') =>
    ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      output[name] += Buffer.from(chunk as Uint8Array).toString();
      const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
      done?.();
      return true;
    }) as Write;
  process.env = { ...environment };
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true });
  process.stdout.write = into('stdout');
  process.stderr.write = into('stderr');
  try {
    await main(argv, ROOT, async (path) => (await import(pathToFileURL(join(ROOT, path)).href)) as unknown);
    const code = process.exitCode as number | undefined;
    return { code: code ?? 0, ...output };
  } finally {
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
    process.stdout.removeAllListeners('error');
    for (const listener of before.listeners) process.stdout.on('error', listener as () => void);
    if (before.stdin) Object.defineProperty(process, 'stdin', before.stdin);
    process.exitCode = before.exitCode;
    process.env = before.env;
  }
}
