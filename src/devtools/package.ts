/**
 * `npm run package`: kyclone as one executable for this platform (docs/install.md), with its checksums, its licences and
 * a list of what is inside, in `dist-package/`. `dist/` is built before. Two runs at a time don't disturb each other.
 */
import './gone-reader.ts';
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
  readdirSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { MIB } from '../kernel/numbers/units.ts';
import { CODE_CACHE } from '../single-file/loader.ts';
import { once } from 'node:events';
import { INSPECT_BANNER } from './build-cli.ts';
import { COMMON_JS } from './strict-build.ts';

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
async function writeCodeCaches(node: string, folder: string, warm: string): Promise<void> {
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

// The files of the package that the single executable holds, under the paths that they have in the package.

/** What projects import with npm. The programs read the rest of `dist/`. */
const UNUSED =
  /(?:\.d\.c?ts|^dist\/(?:testing\.c?js|onboarding\.js|bank-link\.js|browser(?:-[a-z-]+)?\.(?:js|css)))$/;
/** The keychain's native library for this platform. npm installs it beside the package that loads it elsewhere. */
const LIBRARY = `linux-${process.arch}-gnu`;
/** Packages with a file of their own in the executable. */
const SHIPPED_AS_THEY_ARE = [`@napi-rs/keyring-${LIBRARY}`] as const;
const INSPECT = 'dist/cli/inspect.mjs';
const PROGRAMS = 'bin/run-cli.js';

/** Copies the files from the package at `root`, which is built, into `folder`. Returns their paths. */
function stageFiles(root: string, folder: string): string[] {
  const paths = [
    'package.json',
    'LICENSE',
    'oclif.manifest.json',
    ...['dist', 'bin', 'completions'].flatMap((name) => filesOf(root, name)),
  ].filter((path) => !UNUSED.test(path));
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  // The code caches are inside.
  writeFileSync(join(folder, 'bin/compile-cache.js'), '');
  rewrite(join(folder, INSPECT), asCommonJs);
  rewrite(join(folder, PROGRAMS), asCommonJs);
  const library = join(root, 'node_modules', SHIPPED_AS_THEY_ARE[0], `keyring.${LIBRARY}.node`);
  mkdirSync(join(folder, 'native'));
  copyFileSync(library, join(folder, 'native/keychain.node'));
  return [...paths, 'native/keychain.node'].sort();
}

function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function rewrite(path: string, change: (source: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** `import()` would look for files. */
function asCommonJs(source: string): string {
  const { code } = transformSync(source.replace(INSPECT_BANNER, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    define: COMMON_JS.define,
    banner: COMMON_JS.banner.js,
  });
  return code;
}

const root = join(import.meta.dirname, '..', '..');
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
    const bill = billOfMaterials({ name: NAME, sha256: sha256(executable), node });
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

// What the single executable contains, as an SPDX 2.3 document: npm's own list of packages, less those that the bundles
// don't have, and Node with the libraries in it.

interface SpdxPackage {
  readonly name: string;
  readonly SPDXID: string;
  readonly versionInfo: string;
  readonly [member: string]: unknown;
}
interface SpdxDocument {
  readonly creationInfo: { readonly created: string };
  readonly packages: readonly SpdxPackage[];
  readonly [member: string]: unknown;
}

/** Members of `process.versions` that are versions of interfaces or of data. */
const NO_LIBRARIES = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode']);

function billOfMaterials(executable: {
  readonly name: string;
  readonly sha256: string;
  readonly node: string;
}): SpdxDocument {
  const words = ['sbom', '--sbom-format', 'spdx', '--package-lock-only'];
  const document = JSON.parse(
    execFileSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as SpdxDocument;
  const known = new Map(document.packages.map((each) => [`${each.name} ${each.versionInfo}`, each]));
  const own = document.packages.find(({ name }) => name === 'kyclone');
  if (!own) throw new Error('npm lists no kyclone');
  const whole = {
    ...own,
    packageFileName: executable.name,
    primaryPackagePurpose: 'APPLICATION',
    checksums: [{ algorithm: 'SHA256', checksumValue: executable.sha256 }],
  };
  const contained = packagesInside().map((name) => {
    const found = known.get(name);
    if (!found) throw new Error(`${name} is in a bundle, and npm doesn't list it`);
    return found;
  });
  const versions = JSON.parse(
    execFileSync(executable.node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }),
  ) as Record<string, string>;
  const { node: version = '' } = versions;
  const runtime = { ...nodePart('node', version, 'MIT'), supplier: 'Organization: OpenJS Foundation' };
  const libraries = Object.entries(versions)
    .filter(([name]) => !NO_LIBRARIES.has(name))
    .map(([name, each]) => nodePart(name, each, 'NOASSERTION'));
  const contains = (from: SpdxPackage, to: SpdxPackage) => ({
    spdxElementId: from.SPDXID,
    relationshipType: 'CONTAINS',
    relatedSpdxElement: to.SPDXID,
  });
  return {
    ...document,
    name: executable.name,
    // SPDX knows no fractions of a second, which npm writes.
    creationInfo: { ...document.creationInfo, created: document.creationInfo.created.replace(/\.\d+/, '') },
    packages: [whole, ...contained, runtime, ...libraries],
    relationships: [
      { spdxElementId: 'SPDXRef-DOCUMENT', relationshipType: 'DESCRIBES', relatedSpdxElement: whole.SPDXID },
      ...[...contained, runtime].map((each) => contains(whole, each)),
      ...libraries.map((each) => contains(runtime, each)),
    ],
  };
}

/** Name and version of each package in a bundle, from the heading of its licence, and of those that are no bundle. */
function packagesInside(): string[] {
  const licences = readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8').split(
    `\n${'-'.repeat(80)}\n\n`,
  );
  const bundled = licences.map((text) => /^(\S+ \S+) \(/.exec(text)?.[1] ?? text);
  const others = SHIPPED_AS_THEY_ARE.map((name) => {
    const file = join(root, 'node_modules', name, 'package.json');
    return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`;
  });
  return [...new Set([...bundled, ...others])];
}

function nodePart(name: string, version: string, license: string): SpdxPackage {
  return {
    name,
    SPDXID: `SPDXRef-Runtime-${name.replaceAll('_', '-')}-${version.replaceAll(/[^\w.-]/g, '-').replaceAll('_', '-')}`,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseDeclared: license,
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: `pkg:generic/${name}@${encodeURIComponent(version)}`,
      },
    ],
  };
}

await main();
