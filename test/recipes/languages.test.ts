/**
 * The recipes of docs/other-languages.md, run as their readers would: by the tools of the language alone, beside an
 * instance of `kyclone exec`.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

const LANGUAGES = [
  {
    name: 'python',
    command: ['python3', '-m', 'unittest'],
    file: 'test_sign_up.py',
    claim: 'self.assertEqual(status, "pass")',
    other: 'self.assertEqual(status, "another")',
    passed: 'Ran 4 tests',
  },
  {
    name: 'java',
    command: ['java', 'SignUpTest.java'],
    file: 'SignUpTest.java',
    claim: 'expect(user.status(), "pass")',
    other: 'expect(user.status(), "another")',
    passed: 'ok      a delivery is genuine, and a changed one is not',
  },
  {
    name: 'go',
    command: ['go', 'test', '-count=1', './...'],
    file: 'signup_test.go',
    claim: 'status != "pass"',
    other: 'status != "another"',
    passed: 'ok  \texample.com/signup',
  },
] as const;

/** `.ci/run` installs the tools; elsewhere one may be missing. */
const isMissing = (tool: string) =>
  process.env['CI'] === undefined && spawnSync(tool, ['--help'], { stdio: 'ignore' }).error !== undefined;

for (const { name, command, file, claim, other, passed } of LANGUAGES) {
  test.skipIf(isMissing(command[0]))(`recipe: ${name} runs it, and it can fail`, async () => {
    using folder = tempDir();
    cpSync(join(ROOT, 'test/recipes', name), folder.path, { recursive: true });
    const run = async () => {
      const argv = ['exec', '--timeout', '10m', '--log-lines', '0', '--', ...command];
      const { code, stdout, stderr } = await runCli(argv, { home: folder.path });
      return { code, output: `${stdout}${stderr}` };
    };
    const { code, output } = await run();
    expect(code, output).toBe(0);
    expect(output).toContain(passed);

    const path = join(folder.path, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(claim);
    writeFileSync(path, text.replace(claim, other));
    expect((await run()).code).toBe(1);
  });
}
