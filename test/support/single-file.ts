/** The single executable of `npm run package`. It is made from dist/, unless that was done since the last build. */
import './tier-all.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './root.ts';

export const PACKAGED = join(ROOT, 'dist-package');
/** A build writes all of dist/. */
const SOURCES = [
  'dist/daemon.cjs',
  'src/single-file/main.ts',
  'src/single-file/loader.ts',
  'src/devtools/package.ts',
];
export const EXECUTABLE_NAME = `kyclone-linux-${process.arch}`;

/** Returns its path. */
export function singleFile(): string {
  const path = join(PACKAGED, EXECUTABLE_NAME);
  if (Math.max(...SOURCES.map((name) => changedAt(join(ROOT, name)))) > changedAt(path)) {
    const tsx = join(ROOT, 'node_modules', 'tsx', 'dist', 'cli.mjs');
    execFileSync(process.execPath, [tsx, 'src/devtools/package.ts'], { cwd: ROOT });
  }
  return path;
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns a PATH with every program of this machine except Node and what comes with it. */
export function pathWithoutNode(home: string): string {
  const folder = join(home, 'without-node');
  mkdirSync(folder);
  for (const each of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path))) {
    for (const name of readdirSync(each)) {
      const link = join(folder, name);
      if (!/^(?:node|nodejs|npm|npx|corepack|kyclone)/.test(name) && !existsSync(link)) {
        symlinkSync(join(each, name), link);
      }
    }
  }
  return folder;
}
