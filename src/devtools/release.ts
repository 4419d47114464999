/**
 * Makes a release: `npm run release -- [major|minor|patch|VERSION] --tested COMMIT`. It checks the tree, moves the
 * unreleased notes of the changelog under the version, and stores a fixture of the store's format. Then it commits,
 * tags and publishes with provenance, after a question or with --yes. `--dry-run` only prints the steps; it fails on
 * problems that any clone would have.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import confirm from '@inquirer/confirm';
import { systemClock, timestamp } from '../kernel/clock.ts';
import { nextVersion, problemsOf, releasedChangelog, stepsOf, type Tree } from './release-plan.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const CHANGELOG = join(root, 'CHANGELOG.md');

try {
  await main();
} catch (error) {
  process.stderr.write(`Error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

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
