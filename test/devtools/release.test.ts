/** The parts of `npm run release` that make a decision. */
import { describe, expect, test } from 'vitest';
import {
  nextVersion,
  problemsOf,
  releasedChangelog,
  stepsOf,
  type Tree,
} from '../../src/devtools/release.ts';
import { words } from '../support/words.ts';

describe('nextVersion', () => {
  test.each([
    ['0.1.0', 'patch', '0.1.1'],
    ['0.1.9', 'minor', '0.2.0'],
    ['0.9.9', 'major', '1.0.0'],
    ['0.9.9', '0.10.0', '0.10.0'],
  ])('from %s, %s is %s', (present, wanted, expected) => {
    expect(nextVersion(present, wanted)).toBe(expected);
  });

  test.each(['0.1.0', '0.0.9', '1.0', 'v1.0.0', '01.0.0', '1.0.0-rc.1', '', 'huge'])(
    '%j is refused',
    (wanted) => {
      expect(() => nextVersion('0.1.0', wanted)).toThrow(/not later than 0\.1\.0|three numbers/);
    },
  );
});

describe('releasedChangelog', () => {
  const head = '# Changelog\n\nWhat users notice.\n\n';
  const release = { version: '0.2.0', day: '2026-01-31' };

  test('what was unreleased stands under the version and its day, before older ones', () => {
    const before = `${head}## Unreleased\n\n### Added\n\n- One.\n- Two.\n\n## 0.1.0\n\nFirst version.\n`;
    const { changelog, notes } = releasedChangelog(before, release);
    expect(notes).toBe('### Added\n\n- One.\n- Two.');
    expect(changelog).toBe(
      `${head}## Unreleased\n\n## 0.2.0 (2026-01-31)\n\n### Added\n\n- One.\n- Two.\n\n## 0.1.0\n\nFirst version.\n`,
    );
    expect(() => releasedChangelog(changelog, { ...release, version: '0.3.0' })).toThrow(/lists nothing/);
  });

  test('a first version has none before it', () => {
    const { changelog } = releasedChangelog(`${head}## Unreleased\n\n- One.\n`, release);
    expect(changelog).toBe(`${head}## Unreleased\n\n## 0.2.0 (2026-01-31)\n\n- One.\n`);
  });

  test('no heading, nothing under it, or the version already: refused', () => {
    expect(() => releasedChangelog(head, release)).toThrow(/no heading/);
    expect(() => releasedChangelog(`${head}## Unreleased\n\n### Added\n`, release)).toThrow(/lists nothing/);
    const twice = `${head}## Unreleased\n\n- One.\n\n## 0.2.0 (2026-01-01)\n\n- Two.\n`;
    expect(() => releasedChangelog(twice, release)).toThrow(/has 0\.2\.0 already/);
  });
});

describe('problemsOf', () => {
  const head = '0123456789abcdef0123456789abcdef01234567';
  const good: Tree = {
    branch: 'main',
    head,
    changedFiles: [],
    tags: ['v0.1.0'],
    tested: head.slice(0, 12),
    repository: 'somebody/kyclone',
    packedFiles: words`
      bin/kyclone.js bin/kycloned.js dist/cli.cjs dist/daemon.cjs dist/testing.js dist/any-ascii.cjs
      dist/THIRD-PARTY-LICENSES.txt oclif.manifest.json LICENSE README.md
    `,
  };
  const messages = (change: Partial<Tree>) => problemsOf({ ...good, ...change }, '0.2.0');

  test('a clean, tested tree on main has none', () => {
    expect(messages({})).toEqual([]);
  });

  test.each<[Partial<Tree>, RegExp, boolean]>([
    [{ branch: undefined }, /HEAD is detached/, false],
    [{ branch: 'other' }, /HEAD is other/, false],
    [{ changedFiles: ['README.md'] }, /not committed: README\.md/, false],
    [{ tested: undefined }, /--tested 0123456789ab/, false],
    [{ tested: 'fedcba9876543' }, /--tested 0123456789ab/, false],
    [{ tested: '' }, /--tested 0123456789ab/, false],
    [{ repository: undefined }, /no repository/, false],
    [{ tags: ['v0.2.0'] }, /v0\.2\.0 exists already/, true],
    [{ packedFiles: good.packedFiles.slice(1) }, /lacks bin\/kyclone\.js/, true],
  ])('%j: %s', (change, message, isFault) => {
    const [problem, ...others] = messages(change);
    expect(problem?.message).toMatch(message);
    expect(problem?.isFault).toBe(isFault);
    expect(others).toEqual([]);
  });
});

test('stepsOf: it is published with provenance, after it was tagged', () => {
  const steps = stepsOf('0.2.0').map((step) => step.join(' '));
  const published = steps.findIndex((step) => step.startsWith('npm publish'));
  expect(steps[published]).toContain(' --provenance');
  expect(
    steps.slice(0, published).some((step) => step.startsWith('git tag') && step.includes('v0.2.0')),
  ).toBe(true);
});
