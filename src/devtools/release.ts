/**
 * Makes a release: `npm run release -- [major|minor|patch|VERSION] --tested COMMIT`. It checks the tree, moves the
 * unreleased notes of the changelog under the version, and stores a fixture of the store's format. Then it commits,
 * tags and publishes with provenance, after a question or with --yes. `--dry-run` only prints the steps; it fails on
 * problems that any clone would have.
 */
import './gone-reader.ts';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import confirm from '@inquirer/confirm';
import { systemClock, timestamp } from '../kernel/time/clock.ts';

const root = join(import.meta.dirname, '..', '..');
const CHANGELOG = join(root, 'CHANGELOG.md');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      tested: { type: 'string' },
    },
  });
  const isDry = values['dry-run'];
  if (positionals.length > 1) throw new Error('One version, or one of major, minor and patch');
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const version = nextVersion(String(own['version']), positionals[0] ?? 'minor');
  const day = timestamp(systemClock.now()).slice(0, '2026-01-31'.length);
  const { changelog, notes } = releasedChangelog(readFileSync(CHANGELOG, 'utf8'), { version, day });
  const problems = problemsOf(readTree(values.tested, own['repository']), version);
  const steps = stepsOf(version);

  say(`kyclone ${version}, after ${String(own['version'])}`, `\n${notes}\n`);
  for (const { message } of problems) say(`In the way: ${message}`);
  for (const step of steps) say(`$ ${step.join(' ')}`);
  const stops = problems.filter(({ isFault }) => isFault || !isDry);
  if (stops.length > 0) throw new Error(`${version} can't be released: ${stops[0]?.message ?? ''}`);
  if (isDry) {
    say('Dry run: nothing was changed');
    return;
  }

  if (!values.yes) await requireConfirmation(version);
  writeFileSync(CHANGELOG, changelog);
  for (const [program, ...args] of steps) {
    say(`$ ${[program, ...args].join(' ')}`);
    execFileSync(program, args, { cwd: root, stdio: 'inherit' });
  }
}

async function requireConfirmation(version: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Error('There is no terminal for the question: --yes confirms, --dry-run only checks');
  if (!(await confirm({ message: `Publish kyclone ${version}?`, default: false })))
    throw new Error('Not confirmed; nothing was changed');
}

/** A shallow clone may lack tags. The registry refuses a version that is already published. */
function readTree(tested: string | undefined, repository: unknown): Tree {
  const branch = git('branch', '--show-current');
  const packed = JSON.parse(
    run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'),
  ) as [{ files: { path: string }[] }];
  return {
    branch: branch === '' ? undefined : branch,
    head: git('rev-parse', 'HEAD'),
    changedFiles: lines(git('status', '--porcelain')).map((line) => line.replace(/^\S+\s+/, '')),
    tags: lines(git('tag', '--list')),
    tested,
    repository,
    packedFiles: packed[0].files.map(({ path }) => path),
  };
}

function git(...args: string[]): string {
  return run('git', ...args).trim();
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function say(...texts: string[]): void {
  process.stdout.write(`${texts.join('\n')}\n`);
}

/** Plans a release without doing any of it: the next version, the changelog, the problems and the steps. */

type ReleasePart = 'major' | 'minor' | 'patch';
const PARTS: readonly string[] = ['major', 'minor', 'patch'] satisfies ReleasePart[];
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/**
 * `wanted` is a version, or the part to increase. Throws Error for anything else, and for a version that isn't later.
 */
export function nextVersion(present: string, wanted: string): string {
  const numbers = numbersOf(present);
  if (!numbers) throw new Error(`package.json has ${present}, which is not a version of three numbers`);
  if (PARTS.includes(wanted)) {
    const at = PARTS.indexOf(wanted);
    return numbers.map((number, index) => (index < at ? number : index === at ? number + 1 : 0)).join('.');
  }
  const given = numbersOf(wanted);
  if (!given) throw new Error('The version is three numbers (1.2.3), or major, minor or patch');
  const differing = given.findIndex((number, index) => number !== numbers[index]);
  if (differing === -1 || (given[differing] ?? 0) < (numbers[differing] ?? 0))
    throw new Error(`${wanted} is not later than ${present}, which package.json has`);
  return wanted;
}

function numbersOf(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number);
}

const UNRELEASED = '## Unreleased\n';

/** Moves the unreleased notes of the changelog under the version and its date. Throws Error when there are none. */
export function releasedChangelog(
  changelog: string,
  { version, day }: { version: string; day: string },
): { changelog: string; notes: string } {
  const start = changelog.indexOf(`\n${UNRELEASED}`) + 1;
  if (start === 0) throw new Error('CHANGELOG.md has no heading "## Unreleased"');
  if (new RegExp(`^## ${version.replaceAll('.', '\\.')}(?: |$)`, 'm').test(changelog))
    throw new Error(`CHANGELOG.md has ${version} already`);
  const behind = start + UNRELEASED.length;
  const next = changelog.indexOf('\n## ', behind);
  const end = next === -1 ? changelog.length : next;
  const notes = changelog.slice(behind, end).trim();
  if (!notes.includes('\n- ') && !notes.startsWith('- '))
    throw new Error('CHANGELOG.md lists nothing under "## Unreleased"');
  const released = `${UNRELEASED}\n## ${version} (${day})\n\n${notes}\n`;
  return { changelog: changelog.slice(0, start) + released + changelog.slice(end), notes };
}

/** The state of the tree that is to be released. */
export interface Tree {
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  readonly head: string;
  readonly changedFiles: readonly string[];
  readonly tags: readonly string[];
  /** The commit that passed `.ci/run`, according to the caller; at least seven digits of its hash. */
  readonly tested: string | undefined;
  /** `repository` of package.json. */
  readonly repository: unknown;
  readonly packedFiles: readonly string[];
}

interface ReleaseProblem {
  readonly message: string;
  /** True for a problem of any clone. False if only this clone is unsuitable for a release. */
  readonly isFault: boolean;
}

/** Without these the package doesn't work, or lacks the licences of the code inside it. */
const NEEDED_FILES = [
  'bin/kyclone.js',
  'bin/kycloned.js',
  'dist/cli.cjs',
  'dist/daemon.cjs',
  'dist/testing.js',
  'dist/any-ascii.cjs',
  'dist/THIRD-PARTY-LICENSES.txt',
  'oclif.manifest.json',
  'LICENSE',
  'README.md',
];

export function problemsOf(tree: Tree, version: string): readonly ReleaseProblem[] {
  const { branch, head, changedFiles, tags, tested, repository, packedFiles } = tree;
  const missing = NEEDED_FILES.filter((file) => !packedFiles.includes(file));
  const isTested = tested !== undefined && /^[0-9a-f]{7,40}$/.test(tested) && head.startsWith(tested);
  const found: readonly (readonly [is: boolean, message: string, isFault: boolean])[] = [
    [branch !== 'main', `HEAD is ${branch ?? 'detached'}: releases are made on main`, false],
    [changedFiles.length > 0, `not committed: ${changedFiles.join(', ')}`, false],
    [!isTested, `--tested ${head.slice(0, 12)} must confirm that .ci/run passed on this commit`, false],
    [
      repository === undefined,
      'package.json has no repository, which provenance names: npm pkg set repository.url=git+https://… with the address of the sources',
      false,
    ],
    [tags.includes(`v${version}`), `the tag v${version} exists already`, true],
    [missing.length > 0, `the package lacks ${missing.join(', ')}: run npm run build`, true],
  ];
  return found.flatMap(([is, message, isFault]) => (is ? [{ message, isFault }] : []));
}

type ReleaseStep = readonly [program: string, ...args: string[]];

/** The steps in order, after the changelog is written. The last one can't be undone. */
export function stepsOf(version: string): readonly ReleaseStep[] {
  return [
    ['npm', 'version', version, '--no-git-tag-version', '--ignore-scripts'],
    ['npm', 'run', 'build'],
    ['npm', 'run', 'generate'],
    ['npm', 'run', 'store:keep'],
    ['git', 'add', '--all'],
    ['git', 'commit', '--message', `Release ${version}`],
    ['git', 'tag', '--annotate', `v${version}`, '--message', `kyclone ${version}`],
    ['git', 'push', '--follow-tags', 'origin', 'main'],
    ['npm', 'publish', '--provenance', '--access', 'public'],
  ];
}

if (process.argv[1] === import.meta.filename) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
