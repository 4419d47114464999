/**
 * The folder of a throw-away instance: private, in the system's folder for temporary files. The log is beside the
 * instance's home, so that it can be kept when the home is removed. A kept log has a name of another form, which is not
 * swept.
 */
import { renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type InstancePaths, instancePaths, pathBases } from '../../kernel/paths.ts';
import { makeThrowAwayHome } from '../../kernel/throw-away-home.ts';
import { sweepTemporaryFolders } from '../../kernel/temporary-folders.ts';
import { temporaryFolder } from '../shell/files.ts';
import { DEFAULT_INSTANCE } from '../shell/environment.ts';

export const HOME = 'home';
export const LOG = 'daemon.log';

/** The folder's path when only a kept log is left in it. */
export function keptPath(folder: string): string {
  return join(dirname(folder), basename(folder).replace('kyclone-exec-', 'kyclone-exec-log-'));
}

export function homePaths(home: string): InstancePaths {
  return instancePaths(pathBases({ KYCLONE_HOME: home }, process.platform, home), DEFAULT_INSTANCE);
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
  sweepTemporaryFolders();
  const folder = temporaryFolder('exec');
  const path = join(folder, HOME);
  makeThrowAwayHome(path);
  const logFile = namedLog === undefined ? join(folder, LOG) : resolve(namedLog);
  return {
    path,
    paths: homePaths(path),
    logFile,
    remove() {
      rmSync(folder, { recursive: true, force: true });
      sweepTemporaryFolders();
    },
    removeButLog() {
      rmSync(path, { recursive: true, force: true });
      sweepTemporaryFolders();
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
