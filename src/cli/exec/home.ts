/**
 * The folder of a throw-away instance: private, in the system's folder for what is temporary. The log stands beside the
 * instance's home, so that it can be kept when the home goes.
 */
import { renameSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { InstancePaths } from '../../kernel/paths.ts';
import { makeThrowAwayHome } from '../../kernel/throw-away-home.ts';
import { makeTemporaryFolder } from '../shell/temporary-folder.ts';
import { folderPrefix, HOME, homePaths, keptPath, LOG, removeLeftovers } from './leftovers.ts';

export interface ThrowAwayHome {
  /** KYCLONE_HOME of the daemon. */
  readonly path: string;
  readonly paths: InstancePaths;
  readonly logFile: string;
  /** Removes all but a log that was asked for by name. */
  remove(): void;
  /** Removes what the instance had; returns where the log is, which stays. */
  removeButLog(): string;
}

/**
 * A log file that the caller names is the caller's: it stays. What runs that were killed have left is removed, before
 * and after: a daemon may take as long as this run to stop.
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
