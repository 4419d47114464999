/**
 * Files of random names in one folder (docs/architecture.md#storage). A blob is under its name completely or not at
 * all: it is written to a temporary file, synced, renamed, and the folder synced before `commit` settles. A crash
 * leaves at most an unreferenced file, which the sweep of the next start removes. The caller seals the bytes.
 *
 * Names are made here and have one form. No other text is ever joined to the folder's path. A name stands for a regular
 * file only: links are not followed, and pipes are not waited for.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServiceError, storageFull } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/ids/random.ts';

/** Writes one blob. Calls must not overlap: await each before the next. */
export type BlobWriter = ReturnType<typeof writerTo>;

/** Reads one blob, even if it is removed in the meantime. */
export type BlobReader = ReturnType<typeof readerOf>;

export type BlobStore = ReturnType<typeof createBlobStore>;

const NAME_BYTES = 16;
const NAME = /^[0-9a-f]{32}$/;
const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const CAN_SYNC_FOLDERS = process.platform !== 'win32';

/** Whether a text has the form of a blob's name. */
export function isBlobName(text: string): boolean {
  return NAME.test(text);
}

/**
 * Blobs in `folder`, which is created with the first of them. Without `isDurable` nothing is synced. Creates no blob
 * while there is `trouble` with the store that references them.
 */
export function createBlobStore(options: {
  folder: string;
  isDurable: boolean;
  trouble?: () => ServiceError | undefined;
}) {
  const { isDurable } = options;
  const folder = resolve(options.folder);
  let folderMade: Promise<void> | undefined;
  const writing = new Set<BlobWriter>();

  async function makeFolder(): Promise<void> {
    const outermost = await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    if (!isDurable || outermost === undefined) return;
    for (let made = folder; made.length >= outermost.length; made = dirname(made)) {
      await syncFolder(dirname(made));
    }
  }

  async function begin(name = Buffer.from(secretBytes(NAME_BYTES)).toString('hex')): Promise<BlobWriter> {
    const trouble = options.trouble?.();
    if (trouble) throw trouble;
    const place = { name, folder, path: join(folder, name), draft: join(folder, `.${name}.part`) };
    folderMade ??= makeFolder();
    await folderMade;
    const file = await open(place.draft, 'wx', OWNER_ONLY_FILE);
    const onSettled = () => void writing.delete(writer);
    const writer = writerTo({ ...place, file, isDurable, onSettled });
    writing.add(writer);
    return writer;
  }

  return {
    /** A new blob under an unused random name; not visible under it until `commit`. */
    async create(): Promise<BlobWriter> {
      try {
        return await begin();
      } catch (error) {
        // The folder may be gone: create it again with the next blob.
        folderMade = undefined;
        throw asServiceError(error);
      }
    },

    /** Whether there is such a blob; a link is none. */
    async has(name: string): Promise<boolean> {
      return isBlobName(name) && (await lstat(join(folder, name)).catch(() => undefined))?.isFile() === true;
    },

    /** Throws `vault_damaged` when there is no such blob. */
    async open(name: string): Promise<BlobReader> {
      if (!isBlobName(name)) throw missing();
      const file = await openExisting(join(folder, name));
      try {
        const stat = await file.stat();
        if (!stat.isFile()) throw missing();
        return readerOf(file, stat.size);
      } catch (error) {
        await file.close();
        throw error;
      }
    },

    /**
     * Restores the blob of this name from a snapshot, unless it exists; returns whether it was missing. Completely or not
     * at all, as `create`. Calls `read` only if the bytes are needed. Throws `storage_full`.
     */
    async restore(name: string, read: () => Uint8Array): Promise<boolean> {
      if (!isBlobName(name)) throw missing();
      if (await this.has(name)) return false;
      try {
        const writer = await begin(name);
        await writer.write(read());
        await writer.commit();
        return true;
      } catch (error) {
        folderMade = undefined;
        throw asServiceError(error);
      }
    },

    /** Ignores names without a file; a file that can't be removed is left for the next sweep. */
    async remove(names: Iterable<string>): Promise<void> {
      for (const name of names) if (isBlobName(name)) await removeFile(join(folder, name));
    },

    /**
     * Removes the files in the folder that `isUsed` rejects, including unfinished uploads; returns how many. Call it only
     * when nobody writes: a blob whose row is not yet written looks unused.
     */
    async sweep(isUsed: (name: string) => boolean): Promise<number> {
      let removed = 0;
      for (const entry of await entriesOf(folder)) {
        if (isBlobName(entry) && isUsed(entry)) continue;
        if (await removeFile(join(folder, entry))) removed += 1;
      }
      return removed;
    },

    /** Aborts all writers, so that a daemon that stops leaves no unfinished upload behind. */
    async abortWriters(): Promise<void> {
      for (const writer of writing) await writer.abort();
    },

    /** Removes the folder when an ephemeral instance stops. */
    async destroy(): Promise<void> {
      folderMade = undefined;
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function writerTo(target: {
  name: string;
  folder: string;
  path: string;
  draft: string;
  file: FileHandle;
  isDurable: boolean;
  onSettled: () => void;
}) {
  const { name, folder, path, draft, file, isDurable, onSettled } = target;
  let isSettled = false;
  let givenUp: Promise<void> | undefined;

  /** All callers share one promise, so that a stopping daemon waits until the abort is complete. */
  function giveUp(): Promise<void> {
    isSettled = true;
    return (givenUp ??= removeAll().finally(onSettled));
  }

  async function removeAll(): Promise<void> {
    await file.close().catch(() => undefined);
    await removeFile(draft);
    // The blob already has its name if only the sync of the folder failed.
    await removeFile(path);
  }

  async function step<T>(run: () => Promise<T>): Promise<T> {
    if (isSettled) throw new Error('The blob was committed or given up already');
    try {
      return await run();
    } catch (error) {
      await giveUp();
      throw asServiceError(error);
    }
  }

  return {
    /** Throws `storage_full`. The bytes may be reused once it settles. */
    write: (bytes: Uint8Array): Promise<void> => step(() => writeAll(file, bytes)),
    /** Settles with the name once the blob is under it and, in a durable store, on disk. Throws `storage_full`. */
    commit: (): Promise<string> =>
      step(async () => {
        if (isDurable) await file.sync();
        await file.close();
        await rename(draft, path);
        if (isDurable) await syncFolder(folder);
        isSettled = true;
        onSettled();
        return name;
      }),
    /**
     * Removes what was written. Does nothing after a commit or a failure, since a failed write or commit cleans up by
     * itself.
     */
    async abort(): Promise<void> {
      if (!isSettled || givenUp) await giveUp();
    },
  };
}

/** A disk that is almost full accepts some of the bytes and refuses the rest. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

function readerOf(file: FileHandle, size: number) {
  return {
    /** In bytes, at the time of opening. */
    size,
    /** Returns up to `length` bytes, and fewer only at the end. */
    async read(position: number, length: number): Promise<Uint8Array> {
      const bytes = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    /** Waits for a read in progress. May be called again. */
    close: (): Promise<void> => file.close(),
  };
}

async function openExisting(path: string): Promise<FileHandle> {
  // The types say that these always exist, but Windows has neither.
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  try {
    return await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const isAbsentOrRefused = isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM');
    throw isAbsentOrRefused ? missing(error) : error;
  }
}

/** Returns whether a file was removed. Keeps folders, since we create none. */
async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path);
    return true;
  } catch {
    return false;
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  if (!CAN_SYNC_FOLDERS) return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function missing(cause?: unknown): ServiceError {
  return new ServiceError(
    'vault_damaged',
    'The sealed bytes of a file are missing or cannot be opened: check the folder of files',
    { cause },
  );
}

function asServiceError(error: unknown): unknown {
  return isDiskFull(error) ? storageFull(error) : error;
}

/** Whether the disk, the user's quota or the file size limit is reached. */
export function isDiskFull(error: unknown): boolean {
  return isSystemError(error, 'ENOSPC', 'EDQUOT', 'EFBIG');
}

function isSystemError(error: unknown, ...codes: string[]): boolean {
  // No `instanceof Error`: in a test runner's sandbox, system errors belong to another realm.
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
