/**
 * `npm run sqlite`, a part of `npm ci` in a clone: where Node has no SQLite that is enough for the store, better-sqlite3
 * is installed from `.ci/better-sqlite3`, which has a lock of its own, and linked into `node_modules`. Elsewhere nothing is
 * installed, so that no other Node needs a compiler. `--anyway` installs it for a Node that can use both.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type BetterSqlite3 from 'better-sqlite3';
import { nodeSqlite } from '../storage/drivers/node-sqlite.ts';

const PACKAGE = 'better-sqlite3';
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const own = join(root, '.ci', PACKAGE);
const installed = join(own, 'node_modules', PACKAGE);
const link = join(root, 'node_modules', PACKAGE);

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Whether the package below `folder` opens a store under this Node: its binary may be missing, or another's. */
function works(folder: string): boolean {
  try {
    const require = createRequire(join(folder, 'package.json'));
    const Database = require(folder) as typeof BetterSqlite3;
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

function main(): void {
  const node = `Node ${process.versions.node}`;
  if (nodeSqlite() && !process.argv.includes('--anyway')) {
    say(`${node} has its own SQLite: ${PACKAGE} is not needed`);
    return;
  }
  if (works(link)) {
    say(`${PACKAGE} is there for ${node}`);
    return;
  }
  if (!works(installed)) {
    if (!existsSync(join(own, 'package-lock.json'))) {
      throw new Error(`.ci/${PACKAGE} is missing: this is no whole clone, so ${node} can't have ${PACKAGE}`);
    }
    say(`Installing ${PACKAGE}, since ${node} has no SQLite that is enough; it is compiled if no built one is found`);
    execFileSync('npm', ['ci', '--prefix', own, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  }
  mkdirSync(dirname(link), { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
  symlinkSync(relative(dirname(link), installed), link, 'junction');
}

main();
