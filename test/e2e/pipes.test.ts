/** A named pipe in the place of a file is refused, and no reader waits for a writer. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOwnFile } from '../../src/client/fixtures/play.ts';
import { createBlobStore } from '../../src/storage/blobs.ts';
import { readKeyFile } from '../../src/vault/keyring/key-file.ts';
import { tempPath } from '../support/temp-dir.ts';
import '../support/tier-all.ts';

function aPipe(path: string): string {
  execFileSync('mkfifo', ['-m', '600', path]);
  return path;
}

test('key file: a named pipe in its place', () => {
  const home = tempPath();
  const path = aPipe(join(home, 'vault.key'));
  const read = () => readKeyFile({ path, dataDirectory: join(home, 'data') });
  expect(read).toThrow(expect.objectContaining({ code: 'key_file_refused' }));
  expect(read).toThrow('is not a regular file');
});

test('fixtures: a named pipe in the project', async () => {
  const project = tempPath();
  writeFileSync(join(project, 'kyclone.config.yaml'), '');
  aPipe(join(project, 'pipe'));
  await expect(readOwnFile('pipe', project)).rejects.toThrow('not a regular file');
});

test('blobs: a named pipe under the name of a blob', async () => {
  const folder = join(tempPath(), 'files');
  mkdirSync(folder);
  const name = 'f'.repeat(32);
  aPipe(join(folder, name));
  const blobs = createBlobStore({ folder, isDurable: false });
  await expect(blobs.open(name)).rejects.toMatchObject({ code: 'vault_damaged' });
});
