import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenFinished } from './finishing.ts';

/** Makes a private folder that is removed at the end of its block, also while a killed process still ends in it. */
export function tempDir(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'kyclone-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}

/** Makes a private folder that is removed at the end of the test. */
export function tempPath(): string {
  const { path, [Symbol.dispose]: remove } = tempDir();
  whenFinished(remove);
  return path;
}
