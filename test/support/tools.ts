/**
 * Packages that only a few tests need: they are in .ci/tools, which has its own lock file (docs/testing.md). And
 * programs of the system.
 */
import { spawnSync } from 'node:child_process';
import './tier-all.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './daemon.ts';

export const TOOLS = join(ROOT, '.ci/tools/node_modules');

/** Returns the path of a file of one of these packages. Throws when they are not installed. */
export function toolPath(file: string): string {
  const path = join(TOOLS, file);
  if (!existsSync(path)) throw new Error(`${file} is missing: npm ci --prefix .ci/tools installs it`);
  return path;
}

/** Whether a test that needs the program is left out. `.ci/run` installs it; elsewhere it may be missing. */
export function isMissing(program: string): boolean {
  return (
    process.env['CI'] === undefined && spawnSync(program, ['--help'], { stdio: 'ignore' }).error !== undefined
  );
}
