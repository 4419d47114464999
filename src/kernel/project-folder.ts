/**
 * Where a project is: the folder with a project file, the current one or the nearest one above it, no further up than
 * the folder with `.git`. Outside of a repository only the current folder counts, so that a file left in a home or in
 * /tmp speaks for nothing below it. A few stat calls, nothing is read.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const PROJECT_FILES = ['kyclone.config.yaml', 'kyclone.config.yml', 'kyclone.config.json'] as const;

export function projectFolder(directory: string): string | undefined {
  let found: string | undefined;
  for (let folder = directory; ; folder = dirname(folder)) {
    if (found === undefined && projectFilesIn(folder).length > 0) found = folder;
    if (found === directory || isThere(join(folder, '.git'))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Names of the project files in a folder; more than one is a mistake. */
export function projectFilesIn(folder: string): string[] {
  return PROJECT_FILES.filter((name) => isThere(join(folder, name)));
}

/** A folder that may not be looked into has nothing for us. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
