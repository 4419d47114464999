/**
 * Tiers of test files (docs/testing.md). A file of the fast tier starts no process, browser, shell or thread, neither
 * itself nor through its imports from test/. All others, and those of test/e2e, are slow. Imports decide, so nobody
 * maintains a list. A file that takes long without any of these imports test/support/slow-tier.ts. A slow file that
 * changes its process for good imports test/support/own-process.ts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const STARTERS = new Set(['node:child_process', 'node:worker_threads', 'playwright-core']);
const SLOW_FOLDER = 'test/e2e/';
const SLOW_MARK = 'test/support/slow-tier.ts';
const OWN_PROCESS_MARK = 'test/support/own-process.ts';
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

export interface SlowTests {
  /** These files share processes, so a process evaluates their imports once. */
  readonly sharing: readonly string[];
  /** Each of these files has a process of its own. */
  readonly alone: readonly string[];
}

/** Returns the paths of the slow tier below `root`, such as `test/e2e/canary.test.ts`. */
export function slowTests(root: string): SlowTests {
  const imports = new Map<string, readonly string[]>();

  function importsOf(path: string): readonly string[] {
    const known = imports.get(path);
    if (known !== undefined) return known;
    const found = [...readFileSync(join(root, path), 'utf8').matchAll(IMPORTED)].map(([, name = '']) => name);
    imports.set(path, found);
    return found;
  }

  /** Returns the packages and the files of test/ that a file imports, directly or through files of test/. */
  function reachedFrom(path: string, reached = new Set<string>()): ReadonlySet<string> {
    if (reached.has(path)) return reached;
    reached.add(path);
    for (const name of importsOf(path)) {
      const target = posix.join(dirname(path), name);
      if (!name.startsWith('.')) reached.add(name);
      else if (target.startsWith('test/') && existsSync(join(root, target))) reachedFrom(target, reached);
    }
    return reached;
  }

  const slow = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('test', name.replaceAll('\\', '/')))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .map((path) => ({ path, reached: reachedFrom(path) }))
    .filter(
      ({ path, reached }) =>
        path.startsWith(SLOW_FOLDER) || [...STARTERS, SLOW_MARK].some((name) => reached.has(name)),
    )
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  const pathsOf = (isAlone: boolean) =>
    slow.filter(({ reached }) => reached.has(OWN_PROCESS_MARK) === isAlone).map(({ path }) => path);
  return { sharing: pathsOf(false), alone: pathsOf(true) };
}
