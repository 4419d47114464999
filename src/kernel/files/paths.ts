import { attempt } from '../attempt.ts';
import { statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The folders and files of an instance. Directories are 0700, files 0600. */
export interface InstancePaths {
  /** The encrypted store; nothing in it is readable without the vault key. */
  readonly dataDirectory: string;
  readonly storeFile: string;
  /** Locator, lock, log and the local user's API keys. */
  readonly stateDirectory: string;
  readonly locatorFile: string;
  readonly lockFile: string;
  readonly logFile: string;
  readonly credentialsFile: string;
  /** The control token of an instance whose data is on disk. */
  readonly controlTokenFile: string;
  /** The vault key, when it is kept in a file; outside the data directory. */
  readonly vaultKeyFile: string;
  /** This user's key for exported snapshots; the same for all instances. */
  readonly snapshotKeyFile: string;
}

/** The folder of the CLI's preferences, `config.json`. */
export interface PathBases {
  readonly data: string;
  readonly state: string;
  readonly config: string;
}

interface PathEnvironment {
  readonly KYCLONE_HOME?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
  readonly XDG_STATE_HOME?: string | undefined;
  readonly XDG_CONFIG_HOME?: string | undefined;
  readonly LOCALAPPDATA?: string | undefined;
}

/** This user has no known home folder. */
export class NoHomeError extends Error {
  override readonly name = 'NoHomeError';
  readonly remedy = 'set KYCLONE_HOME, or HOME, to a folder of your own (an absolute path)';
}

/** `pathBases` of the user who runs this process. Throws NoHomeError. */
export function ownPathBases(environment: PathEnvironment, platform: NodeJS.Platform): PathBases {
  return pathBases(environment, platform, environment.KYCLONE_HOME ? '' : homeFolder());
}

/** The user's home: HOME, or the system's entry for the user without it. Throws NoHomeError. */
export function homeFolder(): string {
  const home = attempt(homedir) || attempt(() => userInfo().homedir);
  if (!home) throw new NoHomeError('HOME is not set, and the system knows no home folder of this user');
  if (!isAbsolute(home)) throw new NoHomeError('HOME is not an absolute path');
  return home;
}

/**
 * The three folders of the platform; `KYCLONE_HOME` puts them all below one folder. A relative XDG path counts as
 * absent, as its specification requires.
 */
export function pathBases(environment: PathEnvironment, platform: NodeJS.Platform, home: string): PathBases {
  if (environment.KYCLONE_HOME) {
    const root = resolve(environment.KYCLONE_HOME);
    return { data: join(root, 'data'), state: join(root, 'state'), config: join(root, 'config') };
  }
  if (platform === 'darwin') {
    const root = join(home, 'Library', 'Application Support', 'kyclone');
    return { data: join(root, 'data'), state: join(root, 'state'), config: join(root, 'config') };
  }
  if (platform === 'win32') {
    const root = join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'kyclone');
    return { data: join(root, 'data'), state: join(root, 'state'), config: join(root, 'config') };
  }
  return {
    data: join(absolute(environment.XDG_DATA_HOME) ?? join(home, '.local', 'share'), 'kyclone'),
    state: join(absolute(environment.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'kyclone'),
    config: join(absolute(environment.XDG_CONFIG_HOME) ?? join(home, '.config'), 'kyclone'),
  };
}

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** 1 to 64 of a-z, 0-9, `.`, `_`, `-`, beginning with a letter or digit: safe as a folder name. */
export const INSTANCE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function instancePaths(bases: PathBases, instance: string): InstancePaths {
  const dataDirectory = join(bases.data, instance);
  const stateDirectory = join(bases.state, instance);
  return {
    dataDirectory,
    storeFile: join(dataDirectory, 'vault.db'),
    stateDirectory,
    locatorFile: join(stateDirectory, 'daemon.json'),
    lockFile: join(stateDirectory, 'daemon.lock'),
    logFile: join(stateDirectory, 'daemon.log'),
    credentialsFile: join(stateDirectory, 'api-keys.json'),
    controlTokenFile: join(stateDirectory, 'control-token'),
    vaultKeyFile: join(bases.config, 'keys', `${instance}.key`),
    // Not in `keys`, where it would collide with an instance of that name.
    snapshotKeyFile: join(bases.config, 'snapshot.key'),
  };
}

/** The paths of an instance whose store is in another folder. */
export function withDataDirectory(paths: InstancePaths, dataDirectory: string): InstancePaths {
  return { ...paths, dataDirectory, storeFile: join(dataDirectory, 'vault.db') };
}

/** Says why the export of the last stop failed, for who asked for the stop. */
export function exportFailure({ stateDirectory }: Pick<InstancePaths, 'stateDirectory'>): string {
  return join(stateDirectory, 'export-failed');
}

/**
 * The locator file of an instance: how clients find its daemon, and the secret that proves its identity (contract §11).
 */
export interface Locator {
  readonly pid: number;
  readonly url: string;
  readonly control_token: string;
  readonly version: string;
  readonly started_at: string;
  /** Differs at each start. It is public, so it proves nothing. */
  readonly nonce: string;
  /**
   * When the process began, where the system reports it (kernel/program/processes.ts); an addition to the members in the
   * contract.
   */
  readonly process_start?: string;
  /** `folderNumber` of the state folder; another one is a copy, and says nothing about that folder. */
  readonly folder?: string;
  /** The options that the daemon was started with, as its command line has them; absent in the process of a test. */
  readonly options?: readonly string[];
}

/** Distinguishes a folder from a copy of it: the number of its inode. */
export function folderNumber(path: string): string {
  return String(statSync(path, { bigint: true }).ino);
}
