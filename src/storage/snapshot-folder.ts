/**
 * Named snapshots in one folder. A name always has a complete snapshot, the old one or the new: it is written to a
 * draft, synced and renamed. A crash leaves at most a draft, which the sweep of the next start removes.
 */
import { constants, lstatSync, type Stats } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ServiceError, storageFull, conflict } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/ids/random.ts';
import { isDiskFull } from './blobs.ts';

export const SNAPSHOT_SUFFIX = '.kysnap';

export type SnapshotFolder = ReturnType<typeof createSnapshotFolder>;

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const DRAFT = /^\.[0-9a-f]{24}\.part$/;
/** A snapshot that a command made to write it to a file (cli/snapshot), and could not remove before a kill. */
const PASSING = /^file-[0-9a-f]{24}\.kysnap$/;
const CAN_SYNC_FOLDERS = process.platform !== 'win32';

export function createSnapshotFolder(options: { folder: string; isDurable: boolean }) {
  const folder = resolve(options.folder);
  const { isDurable } = options;
  const vouched = new Map<string, string>();
  const pathOf = (name: string) => join(folder, `${name}${SNAPSHOT_SUFFIX}`);

  const self = {
    pathOf,
    /** The stats of a snapshot's file; undefined when there is none. */
    async find(name: string): Promise<Stats | undefined> {
      const stats = await lstat(pathOf(name)).catch(ifAbsent);
      return stats?.isFile() === true ? stats : undefined;
    },
    async names(): Promise<string[]> {
      const entries = (await readdir(folder).catch(ifAbsent)) ?? [];
      return entries.flatMap((entry) =>
        entry.endsWith(SNAPSHOT_SUFFIX) ? [entry.slice(0, -SNAPSHOT_SUFFIX.length)] : [],
      );
    },
    /** An empty file beside the snapshots that only this user may read. */
    async draft(): Promise<string> {
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
      return await emptyFile(folder);
    },
    /**
     * Renames the draft, which was completely written or checked by this run. With `mayReplace` false it throws
     * `conflict` when the name is taken.
     */
    async publish(draft: string, name: string, mayReplace: boolean): Promise<void> {
      const taken = await lstat(pathOf(name)).catch(ifAbsent);
      if (taken !== undefined && !mayReplace) throw nameTaken();
      await settleFile(draft, pathOf(name), isDurable);
      self.vouch(pathOf(name));
    },
    /** Notes that this run has written or checked every byte of the file. */
    vouch(path: string): void {
      const state = stateOf(path);
      if (state !== undefined) vouched.set(path, state);
    },
    /**
     * Call it before every byte of the file is checked. The returned function, called after the check, vouches for the
     * file in the state it had before.
     */
    watch(path: string): () => void {
      const state = stateOf(path);
      return () => {
        if (state !== undefined) vouched.set(path, state);
      };
    },
    /** Identifies the state of a file; each change of it changes the text. Undefined when there is none. */
    stateOf,
    /** Whether the file was vouched for and has not changed since. */
    isVouched(path: string): boolean {
      const state = vouched.get(path);
      return state !== undefined && state === stateOf(path);
    },
    /** Returns whether there was one. */
    async remove(name: string): Promise<boolean> {
      if ((await self.find(name)) === undefined) return false;
      await rm(pathOf(name), { force: true });
      vouched.delete(pathOf(name));
      return true;
    },
    /** Removes what earlier runs left unfinished. */
    async sweep(): Promise<void> {
      const entries = await readdir(folder).catch(() => []);
      for (const entry of entries) {
        const isLeft = PASSING.test(entry) || DRAFT.test(entry.replace(/-journal$|-wal$|-shm$/, ''));
        if (isLeft) await removeDraft(join(folder, entry));
      }
    },
    /** Removes the folder when an ephemeral instance stops. */
    destroy: (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
  return self;
}

/** An unreadable folder must not be taken for an empty one. */
function ifAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

/** Identifies the state of a file without reading it: each write changes its ctime. */
function stateOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

export function nameTaken(): ServiceError {
  return conflict('There is a snapshot of this name already; overwrite replaces it');
}

/** A new empty file in `folder` that only this user may read. */
export async function emptyFile(folder: string): Promise<string> {
  const path = join(folder, `.${Buffer.from(secretBytes(12)).toString('hex')}.part`);
  await (await open(path, 'wx', OWNER_ONLY_FILE)).close();
  return path;
}

/** Renames a finished draft atomically; with `isDurable` it is on disk when this settles. */
export async function settleFile(draft: string, path: string, isDurable: boolean): Promise<void> {
  if (isDurable) await syncPath(draft, 'r+');
  await rename(draft, path);
  if (isDurable && CAN_SYNC_FOLDERS) await syncPath(dirname(path), 'r');
}

/** Removes a draft and the files that SQLite may have created beside it. */
export async function removeDraft(path: string): Promise<void> {
  await Promise.all(
    ['', '-journal', '-wal', '-shm'].map((suffix) => rm(`${path}${suffix}`, { force: true })),
  );
}

/** Returns what `work` on the draft returns, and removes the draft when it fails. */
export async function orRemoved<Result>(draft: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await removeDraft(draft);
    throw error;
  }
}

/** Copies a file into a draft. Throws `storage_full`. */
export async function copyInto(draft: string, source: string): Promise<void> {
  try {
    await copyFile(source, draft, constants.COPYFILE_FICLONE);
    await chmod(draft, OWNER_ONLY_FILE);
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  }
}

/** Writes a stream into a draft. Throws `storage_full`, and errors of the stream. */
export async function writeInto(draft: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(draft, 'r+');
  try {
    for await (const chunk of content) {
      for (let written = 0; written < chunk.length;) {
        written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
      }
    }
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  } finally {
    await file.close();
  }
}

/** Settles once the content of the file is on disk. */
export async function syncPath(path: string, flags: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
