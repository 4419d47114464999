/** What `npm pack` includes. The test fails for a stray file, a missing file, or a bundle that grew. */
import '../support/tier-all.ts';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/root.ts';

const MIB = 2 ** 20;
/** Somewhat more than the present sizes: 4.7 MiB packed, 16.4 MiB unpacked. */
const PACKED_LIMIT_BYTES = 5.5 * MIB;
const UNPACKED_LIMIT_BYTES = 19 * MIB;

function packedFiles() {
  const argv = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [packed] = JSON.parse(execFileSync('npm', argv, { cwd: ROOT, encoding: 'utf8' })) as [
    { size: number; unpackedSize: number; files: { path: string }[] },
  ];
  return packed;
}

test('package: the files that test/snapshots/package-files.txt lists, and no larger than it should be', async () => {
  const packed = packedFiles();
  const files = packed.files.map(({ path }) => path).sort();
  await expect(`${files.join('\n')}\n`).toMatchFileSnapshot('../snapshots/package-files.txt');
  expect(packed.size).toBeLessThan(PACKED_LIMIT_BYTES);
  expect(packed.unpackedSize).toBeLessThan(UNPACKED_LIMIT_BYTES);
});

test('package: no file has the path of the folder that it was built in', () => {
  const paths = packedFiles().files.map(({ path }) => path);
  expect(paths.filter((path) => readFileSync(join(ROOT, path)).includes(ROOT))).toEqual([]);
});
