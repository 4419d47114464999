/**
 * `npm run sqlite`, a part of `npm ci` in a clone: where Node has no SQLite that can hold a store, better-sqlite3
 * is installed from `.ci/better-sqlite3`, which has a lock of its own, and linked into `node_modules`. Elsewhere nothing is
 * installed, so that no other Node needs a compiler. `--anyway` installs it for a Node that can use both.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { betterSqlite3 } from '../storage/drivers/better-sqlite3.ts';
import { nodeSqlite } from '../storage/drivers/node-sqlite.ts';

const PACKAGE = 'better-sqlite3';
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const own = join(root, '.ci', PACKAGE);
const installed = join(own, 'node_modules', PACKAGE);
const link = join(root, 'node_modules', PACKAGE);

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Whether the package is there and opens a store under this Node: its binary may be missing, or another's. */
function works(): boolean {
  try {
    betterSqlite3().open(':memory:', {}).close();
    return true;
  } catch {
    return false;
  }
}

function makeLink(): void {
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(relative(dirname(link), installed), link, 'junction');
}

function main(): void {
  const node = `Node ${process.versions.node}`;
  if (nodeSqlite() && !process.argv.includes('--anyway')) {
    say(`${node} has its own SQLite: ${PACKAGE} is not needed`);
    return;
  }
  if (!existsSync(link) && existsSync(installed)) makeLink();
  if (works()) {
    say(`${PACKAGE} is there for ${node}`);
    return;
  }
  if (!existsSync(join(own, 'package-lock.json'))) {
    throw new Error(`.ci/${PACKAGE} is missing: this is no whole clone, so ${node} can't have ${PACKAGE}`);
  }
  say(`Installing ${PACKAGE} for ${node}; it is compiled if no built one is found`);
  execFileSync('npm', ['ci', '--prefix', own, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  makeLink();
}

main();
