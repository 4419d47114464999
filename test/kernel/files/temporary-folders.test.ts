/** Folders of throw-away instances, and how those of ended processes are removed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasEnded, ownMark, processSpace, processStart } from '../../../src/kernel/program/processes.ts';
import { makeTemporaryFolder, sweepTemporaryFolders } from '../../../src/kernel/files/temporary-folders.ts';
import { readOrCreateKeyFile } from '../../../src/vault/keyring/key-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** The mark of a process that has ended. */
async function endedMark(): Promise<string> {
  const child = spawn(process.execPath, ['--version']);
  await once(child, 'exit');
  return `${processSpace() ?? 0}-${child.pid ?? 0}-0`;
}

function useTemporary(path: string): void {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = path;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
}

test('hasEnded: not this process, nor one of another container', async () => {
  const ended = await endedMark();
  expect([ownMark(), ended, ended.replace(/^\d+/, '1')].map(hasEnded)).toEqual([false, true, false]);
});

test.each(['exec', 'demo', 'testing'] as const)(
  'sweepTemporaryFolders: of %s, only what an ended process left',
  async (kind) => {
    using folder = tempDir();
    useTemporary(folder.path);
    const own = makeTemporaryFolder(kind);
    mkdirSync(join(own, 'data'));
    const ended = await endedMark();
    const left = (end: string, ...names: string[]) => {
      const path = join(folder.path, `kyclone-${kind}-${ended}-${end}`);
      for (const name of names) mkdirSync(join(path, name), { recursive: true });
      return path;
    };
    const dead = left('aaaaaa', 'data', 'state', 'config');
    const strange = left('bbbbbb', 'data', 'mine');
    const inUse = left('cccccc', 'state/default');
    const { pid } = process;
    const locator = { pid, process_start: processStart(pid) };
    writeFileSync(join(inUse, 'state', 'default', 'daemon.json'), JSON.stringify(locator));
    const other = join(folder.path, `kyclone-other-${ended}-dddddd`);
    mkdirSync(other);

    sweepTemporaryFolders();

    expect([own, dead, strange, inUse, other].map((path) => [basename(path), existsSync(path)])).toEqual([
      [basename(own), true],
      [basename(dead), false],
      [basename(strange), true],
      [basename(inUse), true],
      [basename(other), true],
    ]);
  },
);

test('key file: a later start removes the draft of a process that was killed while it made the key', async () => {
  using folder = tempDir();
  const path = join(folder.path, 'keys', 'default.key');
  mkdirSync(join(folder.path, 'keys'), { mode: 0o700 });
  const [dead, alive] = [await endedMark(), ownMark().replace(/\d+$/, '0')].map((mark) =>
    join(folder.path, 'keys', `.default.key.${mark}`),
  );
  for (const draft of [dead, alive]) writeFileSync(draft ?? '', 'half a key');
  readOrCreateKeyFile({ path, dataDirectory: undefined });
  expect([dead, alive].map((draft) => existsSync(draft ?? ''))).toEqual([false, true]);
});
