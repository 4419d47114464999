/** What a start that fails takes away again: the files and folders that weren't there before it. */
import { lstatSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writePrivateFile } from './private-write.ts';

/**
 * Notes which of the files aren't there now. The function that is returned removes those that are there by then; never
 * a folder, and never what was there before.
 */
export function noteNewFiles(paths: readonly string[]): () => void {
  const absent = paths.filter((path) => !isThere(path));
  return () => {
    for (const path of absent) attempt(() => unlinkSync(path));
  };
}

/** As `noteNewFiles`, for folders and those above them: removes the new ones that are empty by then. */
export function noteNewFolders(paths: readonly string[]): () => void {
  const absent = new Set<string>();
  for (const path of paths) {
    for (let folder = resolve(path); !isThere(folder); folder = dirname(folder)) absent.add(folder);
  }
  const deepestFirst = [...absent].sort((one, other) => other.length - one.length);
  return () => {
    for (const folder of deepestFirst) attempt(() => rmdirSync(folder));
  };
}

/** Notes what a small private file holds. The function that is returned writes it back where it holds another text. */
export function noteContent(path: string): () => void {
  const before = contentOf(path);
  return () => {
    if (before !== undefined && contentOf(path) !== before) attempt(() => writePrivateFile(path, before));
  };
}

/** Also a link that leads nowhere; what can't be looked at counts as there, so that it isn't touched. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** What can't be removed stays: the error reports the failed start, not this. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    // Not made after all, or not empty.
  }
}
