/** A home in which nothing can be created: the CLI reports it at once, with the folder and what to set. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runInProcess } from '../../support/cli-in-process.ts';
import { tempDir } from '../../support/temp-dir.ts';

test
  .runIf(existsSync('/proc/self'))
  .each([
    [['start', '-d', '--ephemeral', '--port', '0']],
    [['start', '--ephemeral', '--port', '0']],
    [['config', 'set', 'egress.policy', 'strict']],
  ])('KYCLONE_HOME under /proc: %j fails at once, where start -d went on for ever', async (argv) => {
  using folder = tempDir();
  const environment = { KYCLONE_HOME: '/proc/kyclone' };
  const refused = await runInProcess([...argv, '--json'], { home: folder.path, environment });
  expect(refused.stdout).toBe('');
  expect([1, 2]).toContain(refused.code);
  expect(JSON.parse(refused.stderr)).toMatchObject({
    message: expect.stringMatching(/\/proc\/kyclone.*ENOENT.*KYCLONE_HOME/) as string,
  });
});
