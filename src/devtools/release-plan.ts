/** Plans a release without doing any of it: the next version, the changelog, the problems and the steps. */

export type ReleasePart = 'major' | 'minor' | 'patch';
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

export interface ReleaseProblem {
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

export type ReleaseStep = readonly [program: string, ...args: string[]];

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
