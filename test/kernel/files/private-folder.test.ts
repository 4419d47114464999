import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePrivateFolder } from '../../../src/kernel/files/private-folder.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('makePrivateFolder: makes all that is missing, closed to others', () => {
  using home = tempDir();
  const path = join(home.path, 'a', 'b', 'c');
  makePrivateFolder(path);
  makePrivateFolder(path);
  for (const made of [path, join(home.path, 'a', 'b'), join(home.path, 'a')])
    expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('makePrivateFolder: a file in the way is named', () => {
  using home = tempDir();
  const file = join(home.path, 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')])
    expect(() => makePrivateFolder(path)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(path) as string }),
    );
});

// Node's recursive mkdir loops for ever here. If the loop comes back, this test never ends.
test.runIf(existsSync('/proc/self'))(
  'makePrivateFolder: fails where the file system makes no folders, instead of trying for ever',
  () => {
    expect(() => makePrivateFolder('/proc/kyclone/state/default')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(/\/proc\/kyclone\/state\/default .*ENOENT.*KYCLONE_HOME/) as string,
      }),
    );
  },
);
