/** Files named after @ are read whole, and never without a limit. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/cli/shell/failure.ts';
import { terminalInput } from '../../../src/cli/shell/input.ts';
import { tempDir } from '../../support/temp-dir.ts';

const input = terminalInput(false);

test.each([0, 1, 65_536, 65_537, 200_000])('@file: %i bytes are read as they are', (length) => {
  using folder = tempDir();
  const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 251));
  const path = join(folder.path, 'file');
  writeFileSync(path, bytes);
  expect(input.fileBytes(path).equals(bytes)).toBe(true);
});

test('@file: a device that never ends is refused', () => {
  expect(() => input.fileBytes('/dev/zero')).toThrow(/^A file named after @ contains more than 64 MiB$/);
});

test('@file: what cannot be read is a usage error that names the path', () => {
  using folder = tempDir();
  for (const path of [join(folder.path, 'absent'), folder.path]) {
    expect(() => input.fileBytes(path)).toThrow(UsageError);
    expect(() => input.fileBytes(path)).toThrow(path);
  }
});
