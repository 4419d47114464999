/**
 * The recipes of docs/test-library.md and docs/hosted.md, run as their readers would: in a project of their own, by the
 * runner's own command.
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

const RUNNERS = [
  {
    name: 'vitest',
    command: () => [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'],
    passed: /6 passed/,
  },
  { name: 'jest', command: () => [toolPath('jest/bin/jest.js')], passed: /6 passed/ },
  {
    name: 'jest',
    how: 'with timers that are fake before the library is loaded',
    command: () => [
      toolPath('jest/bin/jest.js'),
      'fake-timers',
      '--config={"fakeTimers":{"enableGlobally":true}}',
    ],
    passed: /2 passed/,
  },
  { name: 'node-test', command: () => ['--test'], passed: /pass 6/ },
  { name: 'playwright', command: () => ['--test', 'onboarding.test.js', 'bank.test.js'], passed: /pass 10/ },
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
    'dist/any-ascii.cjs',
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
  // The SQLite that an older Node needs.
  const sqlite = join(modules, '@photostructure');
  if (!existsSync(sqlite)) symlinkSync(join(ROOT, 'node_modules/@photostructure'), sqlite);
  return folder;
}

async function run(
  folder: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
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
      ...environment,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/** Gives each page of the recipes patience with a busy machine. */
function wait(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.js'))) {
    const recipe = readFileSync(join(folder, file), 'utf8');
    const line = `$1 page.setDefaultTimeout(${PATIENCE_MS});`;
    writeFileSync(join(folder, file), recipe.replace(/^( *page = .*;)$/m, line));
  }
}

/** What the test file of a runner begins with, to start an instance that nothing closes. */
const FORGETFUL = {
  vitest: `import { test } from 'vitest'; import { startKyclone } from 'kyclone/testing';`,
  jest: `const { startKyclone } = require('kyclone/testing');`,
};

test.each(Object.entries(FORGETFUL))(
  '%s: instances that are not closed leave no folder',
  async (name, begins) => {
    const folder = project(name);
    const left = join(folder, 'tmp');
    mkdirSync(left);
    for (const file of ['first-forgets.test.js', 'second-forgets.test.js'])
      writeFileSync(
        join(folder, file),
        `${begins} test('forgets', async () => void (await startKyclone()));`,
      );
    const command = RUNNERS.find((each) => each.name === name)?.command() ?? [];
    const { output } = await run(folder, [...command, 'first-forgets', 'second-forgets'], { TMPDIR: left });
    expect(output).toMatch(/2 passed/);
    expect(readdirSync(left).filter((file) => file.startsWith('kyclone'))).toEqual([]);
  },
);

for (const { name, how = '', command, passed } of RUNNERS) {
  test.skipIf(name === 'playwright' && skipsBrowser)(
    `recipe: ${name} runs its tests, and ends by itself ${how}`.trim(),
    async () => {
      const folder = project(name);
      wait(folder);
      const { code, output } = await run(folder, command());
      expect(code, output).toBe(0);
      expect(output).toMatch(passed);
      expect(output).not.toContain('SQLite is an experimental');
    },
  );
}
