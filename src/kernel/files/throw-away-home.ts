/**
 * The home of a throw-away instance, which is deleted with everything in it. A mark inside, written when the folder was
 * made, identifies it. Without the mark a process must not delete the folder that KYCLONE_HOME names.
 */
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../attempt.ts';

const MARK = '.kyclone-throw-away';
const MARK_TEXT = 'Made by kyclone exec, and removed with all that is in it when the instance ends.\n';

/** Makes the folder, for its owner alone. Throws if anything exists at `path`. */
export function makeThrowAwayHome(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, MARK), MARK_TEXT, { mode: 0o600, flag: 'wx' });
}

/** Whether `makeThrowAwayHome` made the folder; false for a link to one. */
export function isThrowAwayHome(path: string | undefined): boolean {
  if (path === undefined || path === '') return false;
  const mark = join(path, MARK);
  const areOwn = attempt(() => lstatSync(path).isDirectory() && lstatSync(mark).isFile()) ?? false;
  return areOwn && attempt(() => readFileSync(mark, 'utf8')) === MARK_TEXT;
}
