import { readFileSync, rmSync } from 'node:fs';
import type { Locator } from '../contract/locator.ts';
import { writePrivateFile } from '../kernel/private-write.ts';

/** Not synced to disk: after a crash of the machine the daemon is gone, too. */
export function publishLocator(path: string, locator: Locator): void {
  writePrivateFile(path, `${JSON.stringify(locator)}\n`, { isDurable: false });
}

/** Removes the locator at a clean stop, unless a later daemon has replaced it. */
export function withdrawLocator(path: string, nonce: string): void {
  if (readLocator(path)?.nonce === nonce) rmSync(path, { force: true });
}

/** The content of a locator file; undefined when it is missing or unreadable. It may be stale. */
export function readLocator(path: string): Partial<Locator> | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
