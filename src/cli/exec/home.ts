/**
 * The folder of a throw-away instance: private, in the system's folder for temporary files. The log is beside the
 * instance's home, so that it can be kept when the home is removed.
 *
 * A killed run leaves its folder. The folder's name identifies the process that created it, so that another run can
 * see that this process has ended, and remove the folder. A kept log has a name of another form.
 */
import { renameSync, rmdirSync, rmSync, lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { type InstancePaths, instancePaths, pathBases } from '../../kernel/paths.ts';
import { makeThrowAwayHome } from '../../kernel/throw-away-home.ts';
import { makeTemporaryFolder } from '../shell/files.ts';
import { readPrivateJson } from '../../client/private-file.ts';
import { isStillThere, processSpace, processStart } from '../../kernel/processes.ts';
import { DEFAULT_INSTANCE } from '../shell/environment.ts';

const PREFIX = 'kyclone-exec-';
const LOG_PREFIX = 'kyclone-exec-log-';
/** Used when the system doesn't report the value. */
const UNKNOWN = '0';
/** Prefix, process namespace, pid, start time of the process, and a random part. */
const NAME = /^kyclone-exec-(\d+)-(\d+)-(\d+)-[A-Za-z0-9]{6}$/;

export const HOME = 'home';
export const LOG = 'daemon.log';
const CONTENT: ReadonlySet<string> = new Set([HOME, LOG, `${LOG}.1`]);

/** The beginning of this process's folder names. */
export function folderPrefix(): string {
  return `${PREFIX}${processSpace() ?? UNKNOWN}-${process.pid}-${processStart(process.pid) ?? UNKNOWN}-`;
}

/** The folder's path when only a kept log is left in it. */
export function keptPath(folder: string): string {
  const at = folder.lastIndexOf(PREFIX);
  return folder.slice(0, at) + LOG_PREFIX + folder.slice(at + PREFIX.length);
}

export function homePaths(home: string): InstancePaths {
  return instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), DEFAULT_INSTANCE);
}

/** Removes the folders of ended runs. Errors are ignored, because they must not stop this run. */
export function removeLeftovers(): void {
  const folder = tmpdir();
  try {
    for (const name of readdirSync(folder)) removeIfLeft(join(folder, name), name);
  } catch {
    // An unreadable folder has no visible leftovers.
  }
}

function removeIfLeft(path: string, name: string): void {
  const [, space, pid, start] = NAME.exec(name) ?? [];
  // A process of another container that shares the folder would look ended from here.
  if (pid === undefined || space !== (processSpace() ?? UNKNOWN)) return;
  if (isStillThere({ pid: Number(pid), processStart: start === UNKNOWN ? undefined : start })) return;
  try {
    if (isOurs(path) && !hasDaemon(join(path, HOME))) rmSync(path, { recursive: true, force: true });
  } catch {
    // Another run was faster, or the next one will remove it.
  }
}

/** Whether it is a folder of this user, not a link to one, and contains only what a run puts there. */
function isOurs(path: string): boolean {
  const stats = lstatSync(path);
  const user = process.getuid?.() ?? stats.uid;
  return stats.isDirectory() && stats.uid === user && readdirSync(path).every((each) => CONTENT.has(each));
}

/** The daemon of a killed run stops by itself, and may still be writing its export. */
function hasDaemon(home: string): boolean {
  const { pid, process_start: start } = readPrivateJson(homePaths(home).locatorFile) ?? {};
  return (
    typeof pid === 'number' &&
    isStillThere({ pid, processStart: typeof start === 'string' ? start : undefined })
  );
}

export interface ThrowAwayHome {
  /** KYCLONE_HOME of the daemon. */
  readonly path: string;
  readonly paths: InstancePaths;
  readonly logFile: string;
  /** Removes everything except a log with a given name. */
  remove(): void;
  /** Removes the instance's data. Returns the path of the log, which stays. */
  removeButLog(): string;
}

/**
 * Creates the home. A log file that the caller names stays. Leftovers of killed runs are removed before and after,
 * because a daemon may take as long as this run to stop.
 */
export function makeHome(namedLog: string | undefined): ThrowAwayHome {
  removeLeftovers();
  const folder = makeTemporaryFolder(folderPrefix());
  const path = join(folder, HOME);
  makeThrowAwayHome(path);
  const logFile = namedLog === undefined ? join(folder, LOG) : resolve(namedLog);
  return {
    path,
    paths: homePaths(path),
    logFile,
    remove() {
      rmSync(folder, { recursive: true, force: true });
      removeLeftovers();
    },
    removeButLog() {
      rmSync(path, { recursive: true, force: true });
      removeLeftovers();
      if (namedLog !== undefined) {
        rmdirSync(folder);
        return logFile;
      }
      const kept = keptPath(folder);
      renameSync(folder, kept);
      return join(kept, LOG);
    },
  };
}
