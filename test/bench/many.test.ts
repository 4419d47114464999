/** `npm run bench -- --only many` as it is run, with its smallest size (test/bench/many.ts). */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import '../support/tier-all.ts';

test('npm run bench -- --only many: a ratio for each size, nothing failed, nothing left behind', () => {
  using folder = tempDir();
  const args = ['--import', 'tsx', 'test/bench/bench.ts', '--only', 'many', '--quick', '--sizes', '1,2'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: cleanEnvironment(folder.path, { TMPDIR: folder.path }),
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  for (const size of [1, 2]) {
    expect(stdout).toMatch(new RegExp(`^${size}: all ready, over node -e 0 +\\d+\\.\\d x`, 'm'));
    expect(stdout).toMatch(
      new RegExp(`^${size}: memory of each, over the bare program +\\d+\\.\\d\\d x`, 'm'),
    );
    expect(stdout).toMatch(new RegExp(`^${size}: the slowest tenant over the mean +[01]\\.\\d\\d x`, 'm'));
  }
  // Both parts print the sums of both sizes.
  expect([...stdout.matchAll(/requests in sum.*\/s.*, 0 failed\)/g)]).toHaveLength(4);
  expect(stdout).not.toContain('NaN');
  expect(readdirSync(folder.path).filter((name) => name.startsWith('kyclone-bench-'))).toEqual([]);
});
