/** A stopped instance that is made once for a file of tests, and is put back before each test that changes it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { InstancePaths } from '../../src/kernel/files/paths.ts';
import { withScope } from './finishing.ts';
import { pathsOf, startKycloned, type Kycloned, type Setting } from './kycloned.ts';

/**
 * Call this at the top level of a test file. `fill` works with the daemon, and may stop it to change its store. Returns
 * a function that puts the instance back as `fill` left it, and returns its home with what `fill` returned.
 */
export function restoredInstance<Made extends object>(
  fill: (daemon: Kycloned) => Promise<Made>,
  environment: Setting['environment'] = {},
): () => Promise<Made & { readonly home: string; readonly paths: InstancePaths }> {
  const folder = mkdtempSync(join(tmpdir(), 'kyclone-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [home, kept] = [join(folder, 'home'), join(folder, 'kept')];
  let filled: Promise<Made> | undefined;

  const makeOnce = () =>
    withScope(async () => {
      const daemon = await startKycloned({ home, environment });
      const made = await fill(daemon);
      await daemon.stop();
      cpSync(home, kept, { recursive: true });
      return made;
    });

  return async () => {
    const made = await (filled ??= makeOnce());
    rmSync(home, { recursive: true });
    cpSync(kept, home, { recursive: true });
    return { ...made, home, paths: pathsOf(home) };
  };
}
