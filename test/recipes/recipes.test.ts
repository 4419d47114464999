/**
 * The recipes of docs/test-library.md and docs/hosted.md, run as their readers would: in a project of their own, by the runner's own
 * command.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { toolPath, TOOLS } from '../support/tools.ts';
import { skipsBrowser } from '../browser/chromium.ts';
import { CHROMIUM } from '../support/chromium-path.ts';

/** A test file, and a claim in it that becomes false when `other` replaces it. */
const SIGN_UP = { file: 'sign-up.test.js', claim: "'pass'", other: "'another'" } as const;

const RUNNERS = [
  { name: 'vitest', command: () => [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], ...SIGN_UP },
  { name: 'jest', command: () => [toolPath('jest/bin/jest.js')], ...SIGN_UP },
  { name: 'node-test', command: () => ['--test'], ...SIGN_UP },
  {
    name: 'playwright',
    command: () => ['--test', 'onboarding.test.js'],
    file: 'onboarding.test.js',
    claim: "'Pass'",
    other: "'Fail'",
  },
  {
    name: 'playwright',
    command: () => ['--test', 'bank.test.js'],
    file: 'bank.test.js',
    claim: "'Thin'",
    other: "'Broken'",
  },
];

/** Makes a project with the recipe in it and the built package beside its dependencies, as an install leaves it. */
function project(name: string): string {
  if (name === 'jest') toolPath('jest/package.json');
  const folder = tempDir();
  cpSync(join(ROOT, 'test/recipes', name), folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'kyclone');
  mkdirSync(own, { recursive: true });
  for (const file of [
    'package.json',
    'dist/testing.cjs',
    'dist/testing.js',
    'dist/testing-bundle.cjs',
    'dist/testing-bundle.cjs.cache',
    'dist/form.js',
    'dist/hosted.js',
    'dist/onboarding.js',
    'dist/bank-link.js',
  ]) {
    cpSync(join(ROOT, file), join(own, file));
  }
  const runner = name === 'jest' ? TOOLS : join(ROOT, 'node_modules');
  for (const each of readdirSync(runner)) {
    if (!each.startsWith('.')) symlinkSync(join(runner, each), join(modules, each));
  }
  // The optional peer dependency, which an older Node needs.
  const peer = join(modules, 'better-sqlite3');
  if (!existsSync(peer)) symlinkSync(join(ROOT, 'node_modules/better-sqlite3'), peer);
  return folder;
}

async function run(
  folder: string,
  command: readonly string[],
): Promise<{ code: number | null; output: string }> {
  // The other runner would read the variables that this runner sets for its own children.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:NODE_OPTIONS|NODE_TEST_CONTEXT|VITEST.*)$/.test(name),
    ),
  );
  const child = spawn(process.execPath, command, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...env,
      CHROMIUM,
      NO_COLOR: '1',
      KYCLONE_BASE_URL: 'http://127.0.0.1:9',
      KYCLONE_HOME: '/nowhere',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** Returns the recipe with a time limit for everything that its page waits for. */
const waiting = (recipe: string, ms: number) =>
  recipe.replace(/^( *page = .*;)$/m, `$1 page.setDefaultTimeout(${ms});`);

for (const { name, command, file: tests, claim, other } of RUNNERS) {
  test.skipIf(name === 'playwright' && skipsBrowser)(
    `recipe: ${name} runs ${tests}, ends by itself, and can fail`,
    async () => {
      const folder = project(name);
      const file = join(folder, tests);
      const recipe = readFileSync(file, 'utf8');
      writeFileSync(file, waiting(recipe, PATIENCE_MS));
      const { code, output } = await run(folder, command());
      expect(code, output).toBe(0);

      // The false claim never becomes true, so a short limit ends the wait.
      writeFileSync(file, waiting(recipe.replace(claim, other), 2_000));
      expect((await run(folder, command())).code).not.toBe(0);
    },
  );
}
