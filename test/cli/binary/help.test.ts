import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { builtCommands, ROOT } from '../../support/root.ts';
import { tempDir } from '../../support/temp-dir.ts';

const commands = builtCommands();

async function run(...argv: string[]) {
  using home = tempDir();
  return await runInProcess(argv, { home: home.path });
}

describe.each(Object.entries(commands))('%s', (_, command) => {
  test('help: has a summary, and a word on each flag', () => {
    expect(command.summary).toBeTruthy();
    for (const [name, flag] of Object.entries(command.flags)) expect(flag.summary, name).toBeTruthy();
  });

  test('--json: is accepted', () => {
    expect(command.flags).toHaveProperty('json');
  });
});

test.each([
  [[], ['--help']],
  [['-h'], ['--help']],
  [['help'], ['--help']],
  [['keyring'], ['help', 'keyring']],
  [
    ['help', 'vault', 'decrypt'],
    ['vault', 'decrypt', '--help'],
  ],
  [
    ['vault', 'decrypt', 'x', '-h'],
    ['vault', 'decrypt', '--help'],
  ],
])('help: %j shows what %j does', async (argv, usual) => {
  expect(await run(...argv)).toEqual(await run(...usual));
});

test('help: for an unknown command is a usage error', async () => {
  expect(await run('help', 'nothing')).toMatchObject({ code: 2, stdout: '' });
});

test('--version: is that of the package', async () => {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  using home = tempDir();
  const shown = await runCli(['--version'], { home: home.path });
  expect(shown).toEqual({
    code: 0,
    stdout: `${name ?? ''}/${version ?? ''} ${process.platform}-${process.arch} node-${process.version}\n`,
    stderr: '',
  });
});
