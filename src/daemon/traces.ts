/** What a start makes and changes on disk before it can be sure to succeed, and takes back where it doesn't. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noteContent, noteNewFiles, noteNewFolders } from '../kernel/new-paths.ts';
import type { InstancePaths } from '../kernel/paths.ts';

export interface Traces {
  /** The folders that are new and empty. */
  readonly removeFolders: () => void;
  /** New files of the state folder, and what kept ones held. Only with the instance's lock. */
  readonly removeState: () => void;
  /** A new store, closed again, and the key that was made for it. Only where the store was opened by this start. */
  readonly removeStore: () => void;
}

/** Notes what is there. A key file that the user named is never removed: another instance may use it by now. */
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
    ...[paths.locatorFile, join(stateDirectory, 'reserve')],
    lockFile,
  ]);
  const anchor = join(dataDirectory, 'access-log.anchor');
  const isNewStore = !isEphemeral && !existsSync(storeFile) && !existsSync(`${storeFile}.before`);
  const removeStore = noteNewFiles([
    ...['', '-wal', '-shm', '-journal'].map((suffix) => `${storeFile}${suffix}`),
    ...[anchor, `${anchor}.new`, join(dataDirectory, 'reserve')],
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
