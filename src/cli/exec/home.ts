/**
 * The folder of a throw-away instance: private, in the system's folder for what is temporary. The log stands beside the
 * instance's home, so that it can be kept when the home goes.
 */
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { instancePaths, pathBases, type InstancePaths } from '../../kernel/paths.ts';
import { makeThrowAwayHome } from '../../kernel/throw-away-home.ts';
import { DEFAULT_INSTANCE } from '../environment.ts';

export interface ThrowAwayHome {
  /** KYCLONE_HOME of the daemon. */
  readonly path: string;
  readonly paths: InstancePaths;
  readonly logFile: string;
  /** Removes all but a log that was asked for by name. */
  remove(): void;
  /** Removes what the instance had; the log stays. */
  removeButLog(): void;
}

/** A log file that the caller names is the caller's: it stays. */
export function makeHome(namedLog: string | undefined): ThrowAwayHome {
  const folder = mkdtempSync(join(tmpdir(), 'kyclone-exec-'));
  const path = join(folder, 'home');
  makeThrowAwayHome(path);
  const removeButLog = () => {
    rmSync(path, { recursive: true, force: true });
    if (namedLog !== undefined) rmdirSync(folder);
  };
  return {
    path,
    paths: instancePaths(pathBases({ KYCLONE_HOME: path }, process.platform, path), DEFAULT_INSTANCE),
    logFile: namedLog === undefined ? join(folder, 'daemon.log') : resolve(namedLog),
    remove: () => rmSync(folder, { recursive: true, force: true }),
    removeButLog,
  };
}
