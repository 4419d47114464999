/**
 * Finds the project's folder: the nearest one with a project file, from the current folder upwards to the folder with
 * `.git`. Outside of a repository only the current folder counts, so that a stray file in a home or in /tmp has no
 * effect below it. Costs a few stat calls; no file is read.
 */
import { attempt } from '../attempt.ts';
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

/** Names of the project files in a folder; more than one is an error. */
export function projectFilesIn(folder: string): string[] {
  return PROJECT_FILES.filter((name) => isThere(join(folder, name)));
}

/** False for a folder without read permission. */
function isThere(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false })) !== undefined;
}
