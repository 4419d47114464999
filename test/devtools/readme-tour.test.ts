/** Runs the tour of README.md in a shell, and compares what it prints with what is written there. */
import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { pathWithoutNode, singleFile } from '../support/single-file.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A free port, in place of the default one. */
const PROGRAM = `#!/bin/sh
case "$1" in start) set -- "$@" --port 0 ;; esac
exec $KYCLONE "$@"
`;
const MARK = '--- next ---';

interface Step {
  readonly command: string;
  /** `[…]` stands for any lines. */
  readonly printed: string;
}

function tourOf(readme: string): readonly Step[] {
  const block = /^```console\n([^]*?)^```/m.exec(readme)?.[1] ?? '';
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command = ''] = /^(?:.*\\\n)*.*$/m.exec(step) ?? [];
      return { command, printed: step.slice(command.length).trim() };
    });
}

test('README: the tour prints what is written there', async () => {
  using home = tempDir();
  const { PATH = '' } = process.env;
  await walkTour(home.path, { PATH, KYCLONE: `${process.execPath} ${join(ROOT, 'bin', 'kyclone.js')}` });
});

test('README: the tour prints the same with the single executable and no Node in PATH', async () => {
  using home = tempDir();
  await walkTour(home.path, { PATH: pathWithoutNode(home.path), KYCLONE: singleFile() });
});

async function walkTour(home: string, { PATH, KYCLONE }: { PATH: string; KYCLONE: string }): Promise<void> {
  writeFileSync(join(home, 'kyclone'), PROGRAM);
  chmodSync(join(home, 'kyclone'), 0o755);
  const steps = tourOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  const script = steps.map(({ command }) => `${command}\necho; echo '${MARK}'\n`).join('');
  const { stdout } = await promisify(execFile)('sh', ['-c', `{ ${script}} 2>&1`], {
    cwd: home,
    env: cleanEnvironment(home, { PATH: `${home}${delimiter}${PATH}`, KYCLONE }),
  });
  const outputs = stdout.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, '4630').split(MARK);
  expect(steps.length).toBeGreaterThan(5);
  for (const [at, { command, printed }] of steps.entries()) {
    const [beginning = '', end] = printed.split(/^\[…\]/m);
    const output = (outputs[at] ?? '').trim();
    if (end === undefined) expect(output, command).toBe(beginning);
    else {
      expect(output.slice(0, beginning.length), command).toBe(beginning);
      expect(output.endsWith(end.trim()), command).toBe(true);
    }
  }
}
