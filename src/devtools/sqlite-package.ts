/**
 * `npm run sqlite`, which `npm ci` runs in a clone. If Node's own SQLite is missing or too old for the store, it
 * installs better-sqlite3 from `.ci/better-sqlite3`, which has its own lock file, and links it into `node_modules`.
 * Otherwise it installs nothing, so that other Node versions need no compiler. `--anyway` installs it for a Node that
 * can use both.
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

/**
 * Whether the package exists and opens a store under this Node. Its binary may be missing, or built for another Node.
 */
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
    say(`${PACKAGE} is installed for ${node}`);
    return;
  }
  if (!existsSync(join(own, 'package-lock.json'))) {
    throw new Error(
      `.ci/${PACKAGE} is missing: this is not a complete clone, so ${node} can't have ${PACKAGE}`,
    );
  }
  say(`Installing ${PACKAGE} for ${node}; it is compiled if no built one is found`);
  execFileSync('npm', ['ci', '--prefix', own, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  makeLink();
}

main();
