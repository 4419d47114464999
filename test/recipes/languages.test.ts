/**
 * The recipes of docs/other-languages.md, run as their readers would: by the tools of the language alone, beside an
 * instance of `kyclone exec`.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { isMissing } from '../support/tools.ts';

const LANGUAGES = [
  { name: 'python', command: ['python3', '-m', 'unittest'], passed: 'Ran 4 tests' },
  {
    name: 'java',
    command: ['java', 'SignUpTest.java'],
    passed: 'ok      a delivery is genuine, and a changed one is not',
  },
  { name: 'go', command: ['go', 'test', '-count=1', './...'], passed: 'ok  \texample.com/signup' },
] as const;

for (const { name, command, passed } of LANGUAGES) {
  test.skipIf(isMissing(command[0]))(`recipe: ${name} runs its tests`, async () => {
    using folder = tempDir();
    cpSync(join(ROOT, 'test/recipes', name), folder.path, { recursive: true });
    const argv = ['exec', '--timeout', '10m', '--log-lines', '0', '--', ...command];
    const { code, stdout, stderr } = await runCli(argv, { home: folder.path });
    expect(code, stderr).toBe(0);
    expect(`${stdout}${stderr}`).toContain(passed);
  });
}
