/**
 * Tiers of test files (docs/testing.md). A file of the fast tier starts no process, browser, shell or thread, neither
 * itself nor through its imports from test/. The others need Node alone, or they reach the mark of what only
 * `npm run test:all` runs. Imports decide, so nobody maintains a list. A file that starts processes or has the mark, and
 * changes its own process for good, imports test/support/own-process.ts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const STARTERS = ['node:child_process', 'node:worker_threads'];
const TIER_ALL = ['playwright-core', 'test/support/tier-all.ts'];
const OWN_PROCESS_MARK = 'test/support/own-process.ts';
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

/** Paths below the root, such as `test/e2e/canary.test.ts`. */
export interface TestFiles {
  /** These files share processes, so a process evaluates their imports once. */
  readonly sharing: readonly string[];
  /** Each of these files has a process of its own. */
  readonly alone: readonly string[];
}

export interface Tiers {
  /** What starts the built daemon or the binary, in `npm test`. */
  readonly binary: TestFiles;
  /** What `npm run test:all` adds. */
  readonly all: TestFiles;
}

/** Returns the files that are not of the fast tier. */
export function testTiers(root: string): Tiers {
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

  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('test', name.replaceAll('\\', '/')))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path, reached: reachedFrom(path) }));
  const reaches = (names: readonly string[]) => (file: (typeof files)[number]) =>
    names.some((name) => file.reached.has(name));
  const split = (some: typeof files): TestFiles => ({
    sharing: some.filter((file) => !reaches([OWN_PROCESS_MARK])(file)).map(({ path }) => path),
    alone: some.filter(reaches([OWN_PROCESS_MARK])).map(({ path }) => path),
  });
  const all = files.filter(reaches(TIER_ALL));
  return {
    binary: split(files.filter((file) => !all.includes(file) && reaches(STARTERS)(file))),
    all: split(all),
  };
}
