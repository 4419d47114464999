/**
 * `npm run package`: kyclone as one executable for this platform (docs/install.md), with its checksums, its licences and
 * a list of what is inside, in `dist-package/`. `dist/` is built before. Two runs at a time don't disturb each other.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { MIB } from '../kernel/units.ts';
import { CODE_CACHE } from '../single-file/loader.ts';
import { SHIPPED_AS_THEY_ARE, stageFiles } from './single-file/assets.ts';
import { billOfMaterials } from './single-file/bill-of-materials.ts';
import { once } from 'node:events';

// V8's code caches for the scripts in the executable. Commands run with the Node that the executable will contain, each
// from the code of those before it, so that the caches have what a start and frequent commands need.

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', '--json'],
  ['users', 'create', 'id.first_name=Jane', '--output', 'id'],
  ['users', 'list'],
  ['webhooks', 'list'],
  ['help'],
  ['users', 'create', '--help'],
  ['inspect', '--help'],
];

/** `folder` has the files; `warm` is the built warm.ts. */
export async function writeCodeCaches(node: string, folder: string, warm: string): Promise<void> {
  const home = join(folder, 'home');
  const environment = { KYCLONE_HOME: home, KYCLONE_NO_KEYCHAIN: '1', HOME: home };
  const daemon = spawn(node, [warm, folder, 'run-daemon.js', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(daemon, 'exit');
  await Promise.race([once(daemon, 'message'), ended]);
  try {
    for (const words of COMMANDS) {
      execFileSync(node, [warm, folder, 'run-cli.js', ...words], { env: environment, stdio: 'pipe' });
    }
  } finally {
    daemon.kill('SIGTERM');
    await ended;
  }
  rmSync(home, { recursive: true });
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const output = join(root, 'dist-package');
/** Where Node looks for what was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const NAME = `kyclone-linux-${process.arch}`;

async function main(): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('npm run package makes an executable for Linux, on Linux');
  mkdirSync(output, { recursive: true });
  const work = mkdtempSync(join(output, 'work-'));
  try {
    const tools = installTools(work);
    const runtime = join(tools, `node-linux-${process.arch}`);
    const node = join(runtime, 'bin', 'node');
    const results = join(work, 'results');
    mkdirSync(results);
    const executable = join(results, NAME);
    await writeExecutable(executable, { work, node, postject: join(tools, 'postject', 'dist', 'cli.js') });
    writeFileSync(join(results, `${NAME}.licenses.txt`), licences(runtime));
    const bill = billOfMaterials(root, { name: NAME, sha256: sha256(executable), node });
    writeFileSync(join(results, `${NAME}.spdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
    const names = ['', '.licenses.txt', '.spdx.json'].map((ending) => `${NAME}${ending}`);
    const sums = names.map((name) => `${sha256(join(results, name))}  ${name}\n`).join('');
    writeFileSync(join(results, 'SHA256SUMS'), sums);
    for (const name of [...names, 'SHA256SUMS']) renameSync(join(results, name), join(output, name));
    const sizes = names.map(
      (name) => `${(statSync(join(output, name)).size / MIB).toFixed(1)} MiB  ${name}\n`,
    );
    process.stdout.write(`In ${basename(output)}/:\n${sizes.join('')}${sums}`);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Returns the folder of the packages that this needs, as pinned. They stay for the next run. */
function installTools(work: string): string {
  const from = join(root, 'src', 'devtools', 'single-file');
  const names = ['package.json', 'package-lock.json'];
  const pinned = createHash('sha256');
  for (const name of names) pinned.update(readFileSync(join(from, name)));
  const folder = join(output, `tools-${pinned.digest('hex').slice(0, 8)}`);
  if (!existsSync(folder)) {
    const draft = join(work, 'tools');
    mkdirSync(draft);
    for (const name of names) copyFileSync(join(from, name), join(draft, name));
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', draft]);
    if (!existsSync(folder)) renameSync(draft, folder);
  }
  return join(folder, 'node_modules');
}

/** Puts the package into a copy of Node. */
async function writeExecutable(
  executable: string,
  { work, node, postject }: { work: string; node: string; postject: string },
): Promise<void> {
  const folder = join(work, 'package');
  const files = stageFiles(root, folder);
  bundleScripts(work);
  await writeCodeCaches(node, folder, join(work, 'warm.cjs'));
  const caches = files.map((path) => `${path}${CODE_CACHE}`).filter((path) => existsSync(join(folder, path)));
  const configuration = {
    // Relative, because the executable keeps this path.
    main: 'main.cjs',
    output: 'blob',
    disableExperimentalSEAWarning: true,
    // A signal can't open the debugger, and NODE_OPTIONS of a project are for its own Node.
    execArgv: ['--disable-sigusr1'],
    execArgvExtension: 'none',
    assets: Object.fromEntries([...files, ...caches].map((path) => [path, join(folder, path)])),
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(configuration));
  run(node, ['--experimental-sea-config', 'sea.json'], work);
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  // Names of Node's own functions, which nothing needs.
  run('strip', [executable]);
  run(process.execPath, [postject, executable, 'NODE_SEA_BLOB', join(work, 'blob'), '--sentinel-fuse', FUSE]);
}

/** The script of the executable, and the one that runs the package for the code caches. */
function bundleScripts(work: string): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: { main: 'src/single-file/main.ts', warm: 'src/devtools/single-file/warm.ts' },
    outdir: work,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
  });
}

/** The licences of kyclone, of Node with all that is in it, and of the packages. */
function licences(runtime: string): string {
  const files = [
    join(root, 'LICENSE'),
    join(runtime, 'LICENSE'),
    join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'),
    ...SHIPPED_AS_THEY_ARE.map((name) => join(root, 'node_modules', name, 'LICENSE.third-party.md')),
  ];
  return files.map((file) => readFileSync(file, 'utf8')).join(`\n${'='.repeat(80)}\n\n`);
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The output of a program that fails is in the error. */
function run(program: string, words: readonly string[], cwd = root): void {
  execFileSync(program, words, { cwd, stdio: 'pipe' });
}

await main();
