/** What `npm pack` takes along: a file that strayed into it, one that is missing, or a bundle that grew is seen here. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ROOT } from '../support/daemon.ts';

const MIB = 2 ** 20;
/** Some more than it is: 4.7 MiB to fetch, 16.4 MiB on disk. */
const PACKED_LIMIT_BYTES = 5.5 * MIB;
const UNPACKED_LIMIT_BYTES = 19 * MIB;

test('package: the files that test/snapshots/package-files.txt lists, and no larger than it should be', async () => {
  const argv = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [packed] = JSON.parse(execFileSync('npm', argv, { cwd: ROOT, encoding: 'utf8' })) as [
    { size: number; unpackedSize: number; files: { path: string }[] },
  ];
  const files = packed.files.map(({ path }) => path).sort();
  await expect(`${files.join('\n')}\n`).toMatchFileSnapshot('../snapshots/package-files.txt');
  expect(packed.size).toBeLessThan(PACKED_LIMIT_BYTES);
  expect(packed.unpackedSize).toBeLessThan(UNPACKED_LIMIT_BYTES);
});
