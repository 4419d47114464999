import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a private folder that is removed at the end of its block. */
export function tempDir(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'kyclone-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
