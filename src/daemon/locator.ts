import { readFileSync, rmSync } from 'node:fs';
import type { Locator } from '../contract/locator.ts';
import { writePrivateFile } from '../kernel/private-write.ts';

/** Not synced to disk: a machine that fails ends the daemon, too. */
export function publishLocator(path: string, locator: Locator): void {
  writePrivateFile(path, `${JSON.stringify(locator)}\n`, { isDurable: false });
}

/** Takes the locator away on a clean stop, unless a later daemon has put its own there. */
export function withdrawLocator(path: string, nonce: string): void {
  if (readLocator(path)?.nonce === nonce) rmSync(path, { force: true });
}

/** What a locator file says; undefined when there is none that can be read. It may be stale. */
export function readLocator(path: string): Partial<Locator> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
