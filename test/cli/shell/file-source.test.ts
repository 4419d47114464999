import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { openSource } from '../../../src/cli/shell/file-source.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('openSource: a file with its length', async () => {
  using folder = tempDir();
  const path = join(folder.path, 'a.txt');
  writeFileSync(path, 'abc');
  const { content, bytes } = await openSource(path);
  expect(bytes).toBe(3);
  expect(await textOf(content)).toBe('abc');
});

test.skipIf(process.platform === 'win32')('openSource: a pipe has no length', async () => {
  using folder = tempDir();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  spawn('sh', ['-c', 'printf abc > "$0"', path], { stdio: 'ignore' });
  const { content, bytes } = await openSource(path);
  expect(bytes).toBeUndefined();
  expect(await textOf(content)).toBe('abc');
});

test.skipIf(process.platform !== 'linux')('openSource: a file that says 0 and holds something', async () => {
  const { content, bytes } = await openSource('/proc/version');
  expect(bytes).toBeUndefined();
  expect(await textOf(content)).toContain('Linux');
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
