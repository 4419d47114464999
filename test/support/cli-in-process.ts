/**
 * Runs the built CLI inside this process, with the same options and the same outcome as `runCli`. Starting Node takes
 * most of a command's time, so tests use this for what isn't about streams, signals, terminals or how the CLI is loaded.
 * It suits commands that end by themselves and run no program with their own streams.
 *
 * The process has one environment, one working directory and one set of streams, so commands run one after another. They
 * get them back as they were.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { jsonOf, type CliOptions, type CliOutcome } from './cli.ts';
import { cleanEnvironment, ROOT } from './daemon.ts';

type ImportModule = (path: string) => Promise<unknown>;
type Main = (argv: readonly string[], root: string, importModule: ImportModule) => Promise<void>;
type Write = typeof process.stdout.write;
interface Options extends Omit<CliOptions, 'root' | 'under'> {
  /** The bundle in dist/; by default the one with every command. */
  readonly bundle?: string;
  /** Stdout is a terminal of this width. */
  readonly columns?: number;
}

let previous: Promise<unknown> = Promise.resolve();

export function runInProcess(argv: readonly string[], options: Options): Promise<CliOutcome> {
  const outcome = previous.then(() => run(argv, options));
  previous = outcome.catch(() => undefined);
  return outcome;
}

/** Returns functions that run commands in a home, which need not be known yet. Each command begins with `first`. */
export function cliIn(home: () => string, ...first: string[]) {
  /** A line is split at each space. */
  const run = (words: string | readonly string[], options: Partial<Options> = {}) =>
    runInProcess([...first, ...wordsOf(words)], { home: home(), ...options });
  return {
    run,
    /** Runs a command that must succeed, and returns its JSON. */
    async json<T = Record<string, unknown>>(
      words: string | readonly string[],
      options?: Partial<Options>,
    ): Promise<T> {
      const outcome = await run([...wordsOf(words), '--json'], options);
      expect(outcome).toMatchObject({ code: 0, stderr: '' });
      return jsonOf(outcome) as T;
    },
  };
}

/** What matches a command that prints nothing but this failure. */
export const refusal = (code: number, says: string | RegExp) => ({
  code,
  stdout: '',
  stderr: (typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says)) as string,
});

const wordsOf = (words: string | readonly string[]) => (typeof words === 'string' ? words.split(' ') : words);

async function run(
  argv: readonly string[],
  { home, environment, stdin, cwd = home, bundle = 'cli.cjs', columns }: Options,
): Promise<CliOutcome> {
  const output: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const before = {
    environment: { ...process.env },
    cwd: process.cwd(),
    stdin: Object.getOwnPropertyDescriptor(process, 'stdin') ?? {},
    exitCode: process.exitCode,
    stdout: process.stdout.write,
    terminal: {
      isTTY: process.stdout.isTTY,
      columns: process.stdout.columns,
      getWindowSize: process.stdout.getWindowSize,
    },
    stderr: process.stderr.write,
    listeners: process.stdout.listeners('error'),
  };
  const into = (name: 'stdout' | 'stderr') =>
    ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      output[name].push(Buffer.from(chunk as Uint8Array));
      const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
      done?.();
      return true;
    }) as Write;
  process.chdir(cwd);
  setEnvironment(cleanEnvironment(home, environment));
  process.exitCode = undefined;
  const input = Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)], { objectMode: false });
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
  if (columns !== undefined)
    Object.assign(process.stdout, { isTTY: true, columns, getWindowSize: () => [columns, 24] });
  process.stdout.write = into('stdout');
  process.stderr.write = into('stderr');
  try {
    const { main } = (await import(pathToFileURL(join(ROOT, 'dist', bundle)).href)) as { main: Main };
    await main(argv, ROOT, async (path) => (await import(pathToFileURL(join(ROOT, path)).href)) as unknown);
    const code = process.exitCode as number | undefined;
    return {
      code: code ?? 0,
      stdout: Buffer.concat(output.stdout).toString(),
      stderr: Buffer.concat(output.stderr).toString(),
    };
  } finally {
    Object.assign(process.stdout, before.terminal);
    process.stdout.write = before.stdout;
    process.stderr.write = before.stderr;
    process.stdout.removeAllListeners('error');
    for (const listener of before.listeners) process.stdout.on('error', listener as () => void);
    Object.defineProperty(process, 'stdin', before.stdin);
    process.exitCode = before.exitCode;
    setEnvironment(before.environment);
    process.chdir(before.cwd);
  }
}

/** Another object in its place would not be seen by Node itself, for instance by `os.homedir`. */
function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) process.env[name] = value;
}
