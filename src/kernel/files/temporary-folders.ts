/**
 * Folders of throw-away instances, in the system's folder for temporary files. A killed process leaves its folder. The
 * folder's name says which process made it, so that a later one can see that it has ended, and remove the folder.
 */
import { attempt } from '../attempt.ts';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hasEnded, isStillThere, ownMark } from '../program/processes.ts';

/** What makes one: kyclone exec, kyclone demo, the test library. */
export type TemporaryKind = 'exec' | 'demo' | 'testing';

const NAME = /^kyclone-(?:exec|demo|testing)-(\d+-\d+-\d+)-[A-Za-z0-9]{6}$/;
const LOCATOR = 'daemon.json';
/** What throw-away instances put into their folder. */
const CONTENT: ReadonlySet<string> = new Set([
  'home',
  'daemon.log',
  'daemon.log.1',
  'data',
  'state',
  'config',
]);

/** Makes a folder for this user alone, with an absolute path. Throws the system's error. */
export function makeTemporaryFolder(kind: TemporaryKind): string {
  return mkdtempSync(resolve(tmpdir(), `kyclone-${kind}-${ownMark()}-`));
}

/**
 * Removes the folders of this user whose process has ended, unless a daemon still runs in them. Errors are ignored: what
 * stays does no harm.
 */
export function sweepTemporaryFolders(): void {
  const parent = tmpdir();
  for (const name of attempt(() => readdirSync(parent)) ?? []) {
    const mark = NAME.exec(name)?.[1];
    if (mark === undefined || !hasEnded(mark)) continue;
    const path = join(parent, name);
    attempt(() => {
      // Another run may be faster.
      if (isOurs(path) && !hasDaemon(path)) rmSync(path, { recursive: true, force: true });
    });
  }
}

/** Whether it is a folder of this user, not a link to one, and contains only what an instance puts there. */
function isOurs(path: string): boolean {
  const stats = lstatSync(path);
  const user = process.getuid?.() ?? stats.uid;
  return stats.isDirectory() && stats.uid === user && readdirSync(path).every((each) => CONTENT.has(each));
}

/** The daemon of a killed process stops by itself, and may still be writing its export. */
function hasDaemon(path: string): boolean {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === LOCATOR)
    .some((entry) => {
      const { pid, process_start: start } =
        attempt(
          () =>
            JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8')) as Record<string, unknown>,
        ) ?? {};
      const processStart = typeof start === 'string' ? start : undefined;
      return typeof pid === 'number' && isStillThere({ pid, processStart });
    });
}
