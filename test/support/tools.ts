/** Packages that only a few tests need: they are in .ci/tools, with a lock of their own (docs/testing.md). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './daemon.ts';

export const TOOLS = join(ROOT, '.ci/tools/node_modules');

/** The path of a file of one of them. Throws where they are not installed. */
export function toolPath(file: string): string {
  const path = join(TOOLS, file);
  if (!existsSync(path)) throw new Error(`${file} is missing: npm ci --prefix .ci/tools installs it`);
  return path;
}
