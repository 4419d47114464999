/**
 * The CLI consists of two bundles, one of them with the frequent commands only. Each has its compiled code beside it.
 * The output of a command doesn't depend on which bundle runs it, nor on whether its compiled code is present, whole
 * and made by the same V8.
 */
import { cpSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/kycloned.ts';

const FREQUENT = createRequire(import.meta.url)('../../../bin/frequent-commands.js') as ReadonlySet<string>;

/** Makes a copy of the built package. */
function aPackage(): string {
  const root = tempDir();
  for (const part of ['bin', 'package.json', 'oclif.manifest.json', 'dist']) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** Command lines that need no daemon. They show how the parser, the search for a daemon and our own checks respond. */
const LINES = [...FREQUENT].flatMap((words) => [
  words.split(' '),
  [...words.split(' '), '--no-such-flag'],
  [...words.split(' '), '--output', 'papyrus'],
  [...words.split(' '), '--help'],
]);
/** Without arguments `start` and `exec` would run, so these two lines are left out. */
const WORKS = new Set(['start', 'exec']);

test('bundles: a frequent command prints the same from both bundles', async () => {
  const home = tempDir();
  const root = aPackage();
  writeFileSync(join(root, 'bin/frequent-commands.js'), 'module.exports = new Set();');
  rmSync(join(root, 'dist/cli-frequent.cjs'));
  for (const argv of LINES.filter((each) => !WORKS.has(each.join(' ')))) {
    const [own, all] = await Promise.all([runCli(argv, { home }), runCli(argv, { home, root })]);
    expect(own, argv.join(' ')).toEqual(all);
  }
});

test('bundles: every frequent command is a command, and runs from the smaller bundle', async () => {
  const home = tempDir();
  const root = aPackage();
  const manifest = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
    commands: Record<string, unknown>;
  };
  expect(Object.keys(manifest.commands)).toEqual(
    expect.arrayContaining([...FREQUENT].map((words) => words.replace(' ', ':'))),
  );
  rmSync(join(root, 'dist/cli.cjs'));
  for (const words of FREQUENT) {
    const { stderr } = await runCli([...words.split(' '), '--no-such-flag'], { home, root });
    expect(stderr).toMatch(/--no-such-flag|comes after --/);
  }
  expect((await runCli(['users', 'delete'], { home, root })).stderr).toContain('kyclone cannot be loaded');
});

test('bundles: without compiled code, or with any other, a command runs as usual', async () => {
  const home = tempDir();
  const root = aPackage();
  const expected = await runCli(['users', 'list'], { home });
  expect(expected.code).not.toBe(0);
  const cache = join(root, 'dist/cli-frequent.cjs.cache');
  const run = async () => expect(await runCli(['users', 'list'], { home, root })).toEqual(expected);
  const whole = readFileSync(cache);
  await run();
  // V8 writes its version into the first bytes, and refuses compiled code of another version.
  writeFileSync(cache, Buffer.concat([Buffer.alloc(16, 7), whole.subarray(16)]));
  await run();
  truncateSync(cache, whole.length / 2);
  await run();
  truncateSync(cache, 0);
  await run();
  rmSync(cache);
  await run();
});
