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

function advice(node: string): string {
  return [
    `${PACKAGE} could not be installed; npm's messages above say why. One of these helps:`,
    `- Use Node 22.13 or later instead of ${node}: it has its own SQLite, and nothing is compiled.`,
    '- To compile it, install a C++ compiler, make and Python.',
    "- Where npm can't download Node's headers, name a folder that has them: npm_config_nodedir=/usr npm ci",
  ].join('\n');
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
  try {
    execFileSync('npm', ['ci', '--prefix', own, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  } catch {
    process.stderr.write(`${advice(node)}\n`);
    process.exitCode = 1;
    return;
  }
  makeLink();
}

main();
