/**
 * Two tiers of test files (docs/testing.md). A file of the fast tier starts no process, browser, shell or thread, neither
 * itself nor through what it imports of test/; all others, and those of test/e2e, are in the slow one. What a file
 * imports decides, so nobody keeps a list: one that takes long without any of these imports test/support/slow-tier.ts.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const STARTERS = new Set(['node:child_process', 'node:worker_threads', 'playwright-core']);
const SLOW_FOLDER = 'test/e2e/';
const MARK = 'test/support/slow-tier.ts';
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g;

/** Paths of the slow tier below `root`, as `test/e2e/canary.test.ts`. */
export function slowTests(root: string): readonly string[] {
  const imports = new Map<string, readonly string[]>();

  function importsOf(path: string): readonly string[] {
    const known = imports.get(path);
    if (known !== undefined) return known;
    const found = [...readFileSync(join(root, path), 'utf8').matchAll(IMPORTED)].map(([, name = '']) => name);
    imports.set(path, found);
    return found;
  }

  function starts(path: string, seen: Set<string>): boolean {
    if (seen.has(path)) return false;
    seen.add(path);
    return importsOf(path).some((name) => {
      if (STARTERS.has(name)) return true;
      const target = posix.join(dirname(path), name);
      const isOfTests = name.startsWith('.') && target.startsWith('test/') && existsSync(join(root, target));
      return isOfTests && (target === MARK || starts(target, seen));
    });
  }

  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join('test', name.replaceAll('\\', '/')))
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => path.startsWith(SLOW_FOLDER) || starts(path, new Set()))
    .sort();
}
