/**
 * Undoes what a failed start left behind: the files and folders that did not exist before it. What cannot be undone
 * stays, because the error should report the failed start.
 */
import { attempt } from '../attempt.ts';
import { lstatSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { writePrivateFile } from './private-write.ts';

/**
 * Notes which of the files don't exist at present. The returned function removes those that exist when it is called. It
 * never removes a folder or a file that existed before.
 */
export function noteNewFiles(paths: readonly string[]): () => void {
  const absent = paths.filter((path) => !isThere(path));
  return () => {
    for (const path of absent) attempt(() => unlinkSync(path));
  };
}

/** As `noteNewFiles`, for folders and their parents: removes the new ones that are empty. */
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

/** Notes the content of a small private file. The returned function restores it if the content has changed. */
export function noteContent(path: string): () => void {
  const content = () => attempt(() => readFileSync(path, 'utf8'));
  const before = content();
  return () => {
    if (before !== undefined && content() !== before) attempt(() => writePrivateFile(path, before));
  };
}

/** True for a dangling link as well. A path that can't be read counts as existing, so that it isn't touched. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
