/**
 * The CLI consists of two bundles, one of them with the frequent commands only. The output of a command doesn't depend
 * on which bundle runs it.
 */
import { cpSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { builtCommands, ROOT } from '../../support/root.ts';
import { tempDir } from '../../support/kycloned.ts';
import '../../support/tier-all.ts';

const FREQUENT = createRequire(import.meta.url)('../../../bin/frequent-commands.js') as ReadonlySet<string>;

/** Makes a copy of the CLI in the built package. */
function aPackage(): string {
  const root = tempDir();
  for (const part of ['bin', 'package.json', 'oclif.manifest.json', 'dist']) {
    const filter = (path: string) =>
      !path.startsWith(join(ROOT, 'dist/')) || path.startsWith(join(ROOT, 'dist/cli'));
    cpSync(join(ROOT, part), join(root, part), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** Command lines that need no daemon. They show how the parser, the search for a daemon and our own checks respond. */
const LINES = [...FREQUENT].flatMap((words) => [
  words.split(' '),
  [...words.split(' '), '--no-such-flag'],
  [...words.split(' '), '--output', 'papyrus'],
]);
/** Without arguments `start` and `exec` would run, so these two lines are left out. */
const WORKS = new Set(['start', 'exec']);

test('bundles: a frequent command prints the same from both bundles', async () => {
  const home = tempDir();
  for (const argv of LINES.filter((each) => !WORKS.has(each.join(' ')))) {
    const own = await runInProcess(argv, { home, bundle: 'cli-frequent.cjs' });
    expect(own, argv.join(' ')).toEqual(await runInProcess(argv, { home }));
  }
});

test('bundles: every frequent command is a command, and runs from the smaller bundle', async () => {
  const home = tempDir();
  const root = aPackage();
  expect(Object.keys(builtCommands())).toEqual(
    expect.arrayContaining([...FREQUENT].map((words) => words.replace(' ', ':'))),
  );
  rmSync(join(root, 'dist/cli.cjs'));
  for (const words of FREQUENT) {
    const { stderr } = await runCli([...words.split(' '), '--no-such-flag'], { home, root });
    expect(stderr).toMatch(/--no-such-flag|comes after --/);
  }
  for (const argv of [
    ['users', 'delete'],
    ['users', 'get', '--help'],
  ])
    expect((await runCli(argv, { home, root })).stderr).toContain('kyclone cannot be loaded');
});
