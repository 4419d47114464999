import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenFinished } from './finishing.ts';

/** The homes in which a daemon of this process's tests runs. */
export const homesInUse = new Set<string>();

/**
 * Makes a private folder that is removed at the end of its block, also while a killed process still ends in it.
 * Fails when a daemon that nobody has stopped still writes there: whether it can be removed then is chance.
 */
export function tempDir(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'kyclone-test-'));
  return {
    path,
    [Symbol.dispose]() {
      const running = [...homesInUse].find((home) => home.startsWith(path));
      if (running !== undefined) throw new Error(`A daemon still runs in ${running}: stop it first`);
      rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Makes a private folder that is removed at the end of the test. */
export function tempPath(): string {
  const { path, [Symbol.dispose]: remove } = tempDir();
  whenFinished(remove);
  return path;
}
