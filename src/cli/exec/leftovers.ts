/**
 * The folders of runs of `kyclone exec` that were killed before they could remove them. A folder's name tells which
 * process made it, so that another run can see that this one is gone. A log that is kept has a name of another form.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPrivateJson } from '../../client/private-file.ts';
import { instancePaths, pathBases, type InstancePaths } from '../../kernel/paths.ts';
import { isStillThere, processSpace, processStart } from '../../kernel/processes.ts';
import { DEFAULT_INSTANCE } from '../shell/environment.ts';

const PREFIX = 'kyclone-exec-';
const LOG_PREFIX = 'kyclone-exec-log-';
/** Where the system doesn't tell. */
const UNKNOWN = '0';
/** Prefix, process space, pid, start of the process, and what makes the name new. */
const NAME = /^kyclone-exec-(\d+)-(\d+)-(\d+)-[A-Za-z0-9]{6}$/;

export const HOME = 'home';
export const LOG = 'daemon.log';
const CONTENT: ReadonlySet<string> = new Set([HOME, LOG, `${LOG}.1`]);

/** How the folders of this process begin. */
export function folderPrefix(): string {
  return `${PREFIX}${processSpace() ?? UNKNOWN}-${process.pid}-${processStart(process.pid) ?? UNKNOWN}-`;
}

/** The folder's path once only a log is in it that is to stay. */
export function keptPath(folder: string): string {
  const at = folder.lastIndexOf(PREFIX);
  return folder.slice(0, at) + LOG_PREFIX + folder.slice(at + PREFIX.length);
}

export function homePaths(home: string): InstancePaths {
  return instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), DEFAULT_INSTANCE);
}

/** Removes the folders of runs that are gone; what can't be removed stays, for it must not keep this run from its work. */
export function removeLeftovers(): void {
  const folder = tmpdir();
  try {
    for (const name of readdirSync(folder)) removeIfLeft(join(folder, name), name);
  } catch {
    // A folder that can't be read shows nothing that is left.
  }
}

function removeIfLeft(path: string, name: string): void {
  const [, space, pid, start] = NAME.exec(name) ?? [];
  // A process of another container that shares the folder looks gone from here.
  if (pid === undefined || space !== (processSpace() ?? UNKNOWN)) return;
  if (isStillThere({ pid: Number(pid), processStart: start === UNKNOWN ? undefined : start })) return;
  try {
    if (isOurs(path) && !hasDaemon(join(path, HOME))) rmSync(path, { recursive: true, force: true });
  } catch {
    // Another run was faster, or the next one will do it.
  }
}

/** A folder of this user, not a link to one, with nothing in it but what a run puts there. */
function isOurs(path: string): boolean {
  const stats = lstatSync(path);
  const user = process.getuid?.() ?? stats.uid;
  return stats.isDirectory() && stats.uid === user && readdirSync(path).every((each) => CONTENT.has(each));
}

/** The daemon of a run that was killed stops by itself, and may still write the export that was asked for. */
function hasDaemon(home: string): boolean {
  const { pid, process_start: start } = readPrivateJson(homePaths(home).locatorFile) ?? {};
  return (
    typeof pid === 'number' &&
    isStillThere({ pid, processStart: typeof start === 'string' ? start : undefined })
  );
}
