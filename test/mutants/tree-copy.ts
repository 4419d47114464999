/** A temporary copy of the tree, in which commands of package.json run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, closeSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from './list.ts';

const MINUTE_MS = 60_000;
/** A run that takes longer hangs. The whole tier takes longer than some files. */
const LIMIT_MS = { some: 10 * MINUTE_MS, all: 60 * MINUTE_MS };
/** It fails for every break, since it checks that the text of each is in its file. */
const CHECK_OF_LIST = 'test/mutants/list.test.ts';
const BUILT = ['dist', 'oclif.manifest.json', 'completions'];
const ANY_DEPTH = { recursive: true, verbatimSymlinks: true } as const;

export type Run =
  | { readonly end: 'passed' | 'hung' }
  | { readonly end: 'failed'; readonly file: string; readonly title: string };

/** The tests can't show anything. */
export class NoBaselineError extends Error {}

/** `script`: the command of package.json that runs tests. */
export function copyTree(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kyclone-mutants-'));
  const [tree, kept, report, output] = ['tree', 'built', 'report.json', 'output.txt'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  let child: ChildProcess | undefined;

  /** Kills the whole group, because a hanging test leaves programs behind. */
  const kill = () => {
    try {
      if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All have ended.
    }
  };
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      kill();
      remove();
      process.exit(1);
    });
  }

  async function npm(args: readonly string[], limitMs: number): Promise<'passed' | 'failed' | 'hung'> {
    const file = openSync(output, 'w');
    const stdio: ('ignore' | number)[] = ['ignore', file, file];
    const started = spawn('npm', ['run', ...args], { cwd: tree, detached: true, stdio });
    child = started;
    const hung = new AbortController();
    const timer = setTimeout(() => {
      hung.abort();
      kill();
    }, limitMs);
    const code = await new Promise((resolve) => started.once('close', resolve));
    clearTimeout(timer);
    kill();
    closeSync(file);
    return hung.signal.aborted ? 'hung' : code === 0 ? 'passed' : 'failed';
  }

  cpSync(ROOT, tree, {
    ...ANY_DEPTH,
    filter: (path) => !['.git', 'node_modules'].includes(relative(ROOT, path)),
  });
  rmSync(join(tree, CHECK_OF_LIST));
  // Each package is a link. The folder is the copy's own, because tools keep caches in it.
  mkdirSync(join(tree, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    const isCache = name.startsWith('.') && name !== '.bin';
    if (!isCache) symlinkSync(join(ROOT, 'node_modules', name), join(tree, 'node_modules', name));
  }

  return {
    pathOf: (file: string) => join(tree, file),
    remove,
    /** Returns whether it succeeded. */
    build: async () => (await npm(['build'], LIMIT_MS.some)) === 'passed',
    keepBuilt() {
      for (const name of BUILT) cpSync(join(tree, name), join(kept, name), ANY_DEPTH);
    },
    restoreBuilt() {
      for (const name of BUILT) {
        rmSync(join(tree, name), { recursive: true, force: true });
        cpSync(join(kept, name), join(tree, name), ANY_DEPTH);
      }
    },
    /** Runs some files or folders of tests, or everything that the script runs, until the first failure. */
    async test(tests: readonly string[]): Promise<Run> {
      rmSync(report, { force: true });
      const options = ['--bail=1', '--passWithNoTests', '--reporter=json', `--outputFile=${report}`];
      const limitMs = tests.length > 0 ? LIMIT_MS.some : LIMIT_MS.all;
      const end = await npm([script, '--', ...options, ...tests], limitMs);
      if (end !== 'failed') return { end };
      const failed = existsSync(report) ? firstFailure(readFileSync(report, 'utf8')) : undefined;
      if (failed) return { end, file: relative(tree, failed.name), title: failed.title };
      const last = readFileSync(output, 'utf8').slice(-2_000);
      throw new NoBaselineError(`npm run ${script} failed without a failing test:\n${last}`);
    },
  };
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function firstFailure(report: string): { name: string; title: string } | undefined {
  const { testResults } = JSON.parse(report) as Report;
  const file = testResults.find(({ status }) => status === 'failed');
  const test = file?.assertionResults.find(({ status }) => status === 'failed');
  return file && { name: file.name, title: test?.fullName ?? file.message.split('\n')[0] ?? '' };
}
