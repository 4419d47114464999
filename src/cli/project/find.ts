/**
 * Where the project file is: in the current folder or the nearest one above it, no further up than the folder with
 * `.git`. Outside of a repository only the current folder counts, so that a file left in a home or in /tmp names no
 * instance for all that is below. A few stat calls, nothing is read.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../failure.ts';

export const PROJECT_FILES = ['kyclone.config.yaml', 'kyclone.config.yml', 'kyclone.config.json'] as const;

export interface FoundProject {
  readonly directory: string;
  /** The project file's path. */
  readonly file: string;
}

/** Throws UsageError where two project files stand side by side. */
export function findProjectFile(directory: string): FoundProject | undefined {
  let found: FoundProject | undefined;
  for (let folder = directory; ; folder = dirname(folder)) {
    found ??= projectFileOf(folder);
    if (found?.directory === directory || isThere(join(folder, '.git'))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function projectFileOf(directory: string): FoundProject | undefined {
  const names = PROJECT_FILES.filter((name) => isThere(join(directory, name)));
  if (names.length > 1) {
    throw new UsageError(`${names.join(' and ')} stand side by side in ${directory}; keep one of them`);
  }
  return names[0] === undefined ? undefined : { directory, file: join(directory, names[0]) };
}

/** A folder that may not be looked into has nothing for us. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
