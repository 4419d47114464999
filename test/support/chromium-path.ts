/** The path of the machine's Chromium. Its headless shell opens a page in less than half of the time. */
import './tier-all.ts';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Undefined where Chromium is not installed. */
export const CHROMIUM = findOnPath([
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
]);

function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
