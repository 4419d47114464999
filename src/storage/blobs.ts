/**
 * Files of random names in one folder (docs/architecture.md#storage). A blob is under its name whole or not at all: it
 * is written aside, synced, renamed and the folder synced before `commit` settles. A crash leaves at most a file that
 * nobody names, for the sweep of the next start. What is in the bytes is the writer's matter; they come sealed.
 *
 * Names are made here and have one form. Nothing of another form is ever joined to the folder's path, and a name
 * stands for a regular file only: no link is followed, no pipe waited for.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/random.ts';

/** Writes one blob. One call at a time: each is awaited before the next. */
export interface BlobWriter {
  /** Throws `storage_full`. The bytes may be reused once it settles. */
  write(bytes: Uint8Array): Promise<void>;
  /** Settles with the name when the blob is under it and, in a durable store, on disk. Throws `storage_full`. */
  commit(): Promise<string>;
  /** Leaves nothing. Does nothing after a commit or a failure: a write or commit that throws has left nothing. */
  abort(): Promise<void>;
}

/** Reads one blob; one that is removed meanwhile stays readable here. */
export interface BlobReader {
  /** In bytes, when it was opened. */
  readonly size: number;
  /** As many as there are, up to `length`: fewer only at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  /** Waits for a read that is under way. May be called again. */
  close(): Promise<void>;
}

export interface BlobStore {
  /** A new blob under a random name that nobody has; not visible under its name until `commit`. */
  create(): Promise<BlobWriter>;
  /** Throws `vault_damaged` when there is no such blob. */
  open(name: string): Promise<BlobReader>;
  /**
   * The blob of this name from a snapshot, unless there is one; returns whether it was missing. Whole or not at all,
   * as `create`. `read` is asked for the bytes only when they are needed. Throws `storage_full`.
   */
  restore(name: string, read: () => Uint8Array): Promise<boolean>;
  /** What is absent already is fine; what cannot be removed is left for the next sweep. */
  remove(names: Iterable<string>): Promise<void>;
  /**
   * Removes the files in the folder that `isUsed` doesn't name, unfinished uploads included; returns how many. For a
   * time when nobody writes: a blob that has no row yet looks like one that nobody uses.
   */
  sweep(isUsed: (name: string) => boolean): Promise<number>;
  /** Gives up what is being written: a daemon that stops leaves no unfinished upload behind. */
  abortWriters(): Promise<void>;
  /** Removes the folder: an ephemeral instance that stops. */
  destroy(): Promise<void>;
}

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
 * Blobs in `folder`, which the first of them makes. Without `isDurable` nothing is synced. While there is `trouble`
 * with the store that names the blobs, none is made.
 */
export function createBlobStore(options: {
  folder: string;
  isDurable: boolean;
  trouble?: () => ServiceError | undefined;
}): BlobStore {
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
    async create() {
      try {
        return await begin();
      } catch (error) {
        // The folder may be gone: the next blob makes it again.
        folderMade = undefined;
        throw asServiceError(error);
      }
    },

    async open(name) {
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

    async restore(name, read) {
      if (!isBlobName(name)) throw missing();
      const stat = await lstat(join(folder, name)).catch(() => undefined);
      if (stat?.isFile() === true) return false;
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

    async remove(names) {
      for (const name of names) if (isBlobName(name)) await removeFile(join(folder, name));
    },

    async sweep(isUsed) {
      let removed = 0;
      for (const entry of await entriesOf(folder)) {
        if (isBlobName(entry) && isUsed(entry)) continue;
        if (await removeFile(join(folder, entry))) removed += 1;
      }
      return removed;
    },

    async abortWriters() {
      for (const writer of writing) await writer.abort();
    },

    async destroy() {
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
}): BlobWriter {
  const { name, folder, path, draft, file, isDurable, onSettled } = target;
  let isSettled = false;
  let givenUp: Promise<void> | undefined;

  /** Every caller waits for the same end: a daemon that stops leaves while this is still under way otherwise. */
  function giveUp(): Promise<void> {
    isSettled = true;
    return (givenUp ??= removeAll().finally(onSettled));
  }

  async function removeAll(): Promise<void> {
    await file.close().catch(() => undefined);
    await removeFile(draft);
    // Under its name since a moment ago, when it was only the sync of the folder that failed.
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
    write: (bytes) => step(() => writeAll(file, bytes)),
    commit: () =>
      step(async () => {
        if (isDurable) await file.sync();
        await file.close();
        await rename(draft, path);
        if (isDurable) await syncFolder(folder);
        isSettled = true;
        onSettled();
        return name;
      }),
    async abort() {
      if (!isSettled || givenUp) await giveUp();
    },
  };
}

/** A disk that is getting full takes a part first and refuses the rest. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await file.write(bytes, written, bytes.length - written)).bytesWritten;
  }
}

function readerOf(file: FileHandle, size: number): BlobReader {
  return {
    size,
    async read(position, length) {
      const bytes = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => file.close(),
  };
}

async function openExisting(path: string): Promise<FileHandle> {
  // Typed as always there; Windows has neither flag.
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  try {
    return await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const isAbsentOrRefused = isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM');
    throw isAbsentOrRefused ? missing(error) : error;
  }
}

/** Returns whether a file was removed. Folders stay: none is ours. */
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
  if (!isDiskFull(error)) return error;
  return new ServiceError('storage_full', 'No space is left on the disk; nothing was stored', {
    cause: error,
  });
}

/** Whether the system takes no more bytes: of the disk, of the user's share, or of one file. */
export function isDiskFull(error: unknown): boolean {
  return isSystemError(error, 'ENOSPC', 'EDQUOT', 'EFBIG');
}

function isSystemError(error: unknown, ...codes: string[]): boolean {
  // No `instanceof Error`: in a test runner's sandbox the system's errors are of another realm's class.
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
