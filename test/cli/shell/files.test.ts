import '../../support/tier-all.ts';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { openSource, chooseTarget } from '../../../src/cli/shell/files.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('openSource: a file with its length', async () => {
  using folder = tempDir();
  const path = join(folder.path, 'a.txt');
  writeFileSync(path, 'abc');
  const { content, bytes } = await openSource(path);
  expect(bytes).toBe(3);
  expect(await text(content)).toBe('abc');
});

test.skipIf(process.platform === 'win32')('openSource: a pipe has no length', async () => {
  using folder = tempDir();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  spawn('sh', ['-c', 'printf abc > "$0"', path], { stdio: 'ignore' });
  const { content, bytes } = await openSource(path);
  expect(bytes).toBeUndefined();
  expect(await text(content)).toBe('abc');
});

test.skipIf(process.platform !== 'linux')('openSource: a file that says 0 and holds something', async () => {
  const { content, bytes } = await openSource('/proc/version');
  expect(bytes).toBeUndefined();
  expect(await text(content)).toContain('Linux');
});

test('openSource: what is not there, or is a folder, is a usage error that repeats no path', async () => {
  using folder = tempDir();
  mkdirSync(join(folder.path, '900121234'));
  for (const name of ['900121234', '900121234.png']) {
    const failure = await openSource(join(folder.path, name)).catch((error: unknown) => error as Error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as Error).message).not.toContain('900121234');
  }
});

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}
const fetched = (...texts: string[]) => Promise.resolve({ content: pieces(...texts) });

function inFolder(path: string, mayReplace = false) {
  const out = join(path, 'front.png');
  return { out, target: () => chooseTarget({ out, mayReplace, isData: false }) };
}

test('chooseTarget: a file is there when it is whole, for its owner alone, as its part is', async () => {
  using folder = tempDir();
  const { out, target } = inFolder(folder.path);
  await target().fill(async () => {
    const [part = '', ...others] = readdirSync(folder.path);
    expect([part === 'front.png', others]).toEqual([false, []]);
    expect(statSync(join(folder.path, part)).mode & 0o777).toBe(0o600);
    return await fetched('ab', 'cd');
  });
  expect(readFileSync(out, 'utf8')).toBe('abcd');
  expect(statSync(out).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path)).toEqual(['front.png']);
});

test.each([
  ['what fetches it', () => Promise.reject(new Error('refused'))],
  [
    'its content',
    () =>
      Promise.resolve({
        content: (async function* () {
          yield Buffer.from('ab');
          await Promise.reject(new Error('cut off'));
        })(),
      }),
  ],
])('chooseTarget: a failure of %s leaves nothing', async (_, fetch) => {
  using folder = tempDir();
  await expect(inFolder(folder.path).target().fill(fetch)).rejects.toThrow(/refused|cut off/);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('chooseTarget: a file that is there is not replaced, and nothing is fetched for it', () => {
  using folder = tempDir();
  const { out, target } = inFolder(folder.path);
  writeFileSync(out, 'mine');
  expect(target).toThrow(UsageError);
  expect(readFileSync(out, 'utf8')).toBe('mine');
});

test('chooseTarget: a file that came meanwhile is not replaced', async () => {
  using folder = tempDir();
  const { out, target } = inFolder(folder.path);
  const filled = target().fill(async () => {
    writeFileSync(out, 'mine');
    return await fetched('abcd');
  });
  await expect(filled).rejects.toThrow(UsageError);
  expect(readFileSync(out, 'utf8')).toBe('mine');
  expect(readdirSync(folder.path)).toEqual(['front.png']);
});

test('chooseTarget: --force replaces a file, and only by a whole one', async () => {
  using folder = tempDir();
  const { out, target } = inFolder(folder.path, true);
  writeFileSync(out, 'old', { mode: 0o644 });
  await expect(target().fill(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(readFileSync(out, 'utf8')).toBe('old');
  await target().fill(() => fetched('new'));
  expect(readFileSync(out, 'utf8')).toBe('new');
  expect(statSync(out).mode & 0o777).toBe(0o600);
});

test.each([true, false])('chooseTarget: a folder is no target (--force: %s)', (mayReplace) => {
  using folder = tempDir();
  const { out, target } = inFolder(folder.path, mayReplace);
  mkdirSync(out);
  expect(target).toThrow(/^--out names a folder/);
});

test.skipIf(process.platform === 'win32')('chooseTarget: a device is not replaced by a file', () => {
  const target = () => chooseTarget({ out: '/dev/null', mayReplace: true, isData: false });
  expect(target).toThrow(UsageError);
});

test('chooseTarget: a folder that is not there is a usage error that repeats no path', async () => {
  using folder = tempDir();
  const out = join(folder.path, '900121234', 'front.png');
  const target = chooseTarget({ out, mayReplace: false, isData: false });
  const failure = await target.fill(() => fetched('x')).catch((error: unknown) => error as Error);
  expect(failure).toBeInstanceOf(UsageError);
  expect((failure as Error).message).not.toContain('900121234');
});

test.each([undefined, '-'])('chooseTarget: stdout (%s) is taken when the result is JSON', (out) => {
  expect(() => chooseTarget({ out, mayReplace: false, isData: true })).toThrow(UsageError);
});
