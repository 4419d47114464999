/** Tracks what a start creates and changes on disk before it is sure to succeed, and undoes it on failure. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noteContent, noteNewFiles, noteNewFolders } from '../kernel/files/new-paths.ts';
import type { InstancePaths } from '../kernel/files/paths.ts';

export interface Traces {
  /** Removes new folders that are empty. */
  readonly removeFolders: () => void;
  /** Removes new files of the state folder and restores changed ones. Call it only with the instance's lock. */
  readonly removeState: () => void;
  /**
   * Removes a new store, once closed, and the key that was made for it. Call it only if this start opened the store.
   */
  readonly removeStore: () => void;
}

/** Notes what exists. A key file named by the user is never removed, since another instance may use it by now. */
export function tracesOfStart({
  paths,
  isEphemeral,
}: {
  readonly paths: InstancePaths;
  readonly isEphemeral: boolean;
}): Traces {
  const { dataDirectory, stateDirectory, storeFile, lockFile, credentialsFile, controlTokenFile } = paths;
  const removeFolders = noteNewFolders([
    stateDirectory,
    ...(isEphemeral
      ? []
      : [join(dataDirectory, 'snapshots'), join(dataDirectory, 'files'), dirname(paths.vaultKeyFile)]),
  ]);
  const contents = [credentialsFile, controlTokenFile].map(noteContent);
  const removeState = noteNewFiles([
    ...[credentialsFile, controlTokenFile].flatMap((file) => [file, `${file}.new`]),
    paths.locatorFile,
    join(stateDirectory, 'reserve'),
    lockFile,
  ]);
  const anchor = join(dataDirectory, 'access-log.anchor');
  const isNewStore = !isEphemeral && !existsSync(storeFile) && !existsSync(`${storeFile}.before`);
  const removeStore = noteNewFiles([
    ...['', '-wal', '-shm', '-journal'].map((suffix) => `${storeFile}${suffix}`),
    anchor,
    `${anchor}.new`,
    join(dataDirectory, 'reserve'),
    // Last: a crash in between leaves a key without a vault, never a vault without its key.
    paths.vaultKeyFile,
  ]);
  return {
    removeFolders,
    removeState() {
      for (const restore of contents) restore();
      removeState();
    },
    removeStore() {
      if (isNewStore) removeStore();
    },
  };
}
