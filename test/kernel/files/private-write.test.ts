import { lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePrivateFile } from '../../../src/kernel/files/private-write.ts';
import { tempDir } from '../../support/temp-dir.ts';

test.each([['a'], ['a.new']])(
  'writePrivateFile: writes through no link that stands at %s (the draft went through one)',
  (name) => {
    using folder = tempDir();
    const [path, other] = [join(folder.path, 'a'), join(folder.path, 'other')];
    writeFileSync(other, 'of somebody else');
    symlinkSync(other, join(folder.path, name));
    writePrivateFile(path, 'secret');
    expect(readFileSync(other, 'utf8')).toBe('of somebody else');
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);

test('writePrivateFile: a draft that a crash left is no hindrance, and nothing is left beside the file', () => {
  using folder = tempDir();
  const path = join(folder.path, 'a');
  writeFileSync(`${path}.new`, 'half', { mode: 0o644 });
  writePrivateFile(path, 'whole');
  expect(readFileSync(path, 'utf8')).toBe('whole');
  expect(lstatSync(`${path}.new`, { throwIfNoEntry: false })).toBeUndefined();
});
