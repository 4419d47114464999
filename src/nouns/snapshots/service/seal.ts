/**
 * Snapshots as files, which leave the instance and come back. Anybody may have modified one, so its seal is verified
 * before it is opened.
 */
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { stat, open, truncate, type FileHandle } from 'node:fs/promises';
import { ServiceError, storageFull } from '../../../kernel/errors.ts';
import { MIB } from '../../../kernel/numbers/units.ts';
import { isDiskFull } from '../../../storage/blobs.ts';
import { changeSnapshot, openSnapshot, setSealedVaultKey } from '../../../storage/snapshot-file.ts';
import { type SnapshotFolder, copyInto, orRemoved, removeDraft } from '../../../storage/snapshot-folder.ts';
import {
  FILE_SEAL_BYTES,
  sealedBytes,
  sealingSnapshotKey,
  withOpeningSnapshotKey,
  type FileBody,
  type Keyring,
} from '../../../vault/keyring/index.ts';
import { judgeAccess, type BroughtAccess } from './access.ts';
import type { SnapshotHome, SnapshotContext } from './context.ts';

export interface SealContext {
  readonly home: Pick<SnapshotHome, 'folder' | 'key'>;
  readonly keyring: Keyring;
}

/**
 * Appends a seal to a finished draft; an exported one also opens with the snapshot key. `body`: what was read of it
 * before. Throws `storage_full`.
 */
export async function sealDraft(
  { home, keyring }: SealContext,
  draft: string,
  { isForElsewhere, body: read }: { isForElsewhere: boolean; body?: FileBody },
): Promise<void> {
  const body = read ?? (await bodyOfDraft(draft));
  const seal = (key?: Uint8Array) => keyring.snapshots.sealFile(body, key);
  await replaceEnd(draft, body.bytes, isForElsewhere ? withSealingKey(home, seal) : seal());
}

function withSealingKey<T>({ key: source }: SealContext['home'], use: (key: Uint8Array) => T): T {
  const key = sealingSnapshotKey(source);
  try {
    return use(key);
  } finally {
    key.fill(0);
  }
}

/** Reads a finished draft for its seal. */
export async function bodyOfDraft(draft: string): Promise<FileBody> {
  return await bodyOf(draft, (await stat(draft)).size);
}

/** Removes the seal from a copy that will be modified. */
export async function unsealDraft(draft: string): Promise<void> {
  const { bytes } = await readSeal(draft);
  await replaceEnd(draft, bytes, new Uint8Array());
}

/** Throws `vault_damaged` unless this vault saved the snapshot of the folder in this form. */
export async function requireWhole({ home, keyring }: SealContext, path: string): Promise<void> {
  if (home.folder.isVouched(path)) return;
  const vouch = home.folder.watch(path);
  const { trailer, bytes } = await readSeal(path);
  const body = await bodyOf(path, bytes);
  const isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body);
  if (isAuthentic === undefined) {
    throw new ServiceError('vault_damaged', 'The snapshot is of another vault, or its seal is damaged');
  }
  if (!isAuthentic) throw changed();
  vouch();
}

/**
 * Verifies an imported file, which is a draft by now, with the key of this vault or the snapshot key, and removes its
 * seal. Throws `vault_damaged`, and `vault_key_invalid` when neither key opens the seal.
 */
async function requireCarriedWhole({ home, keyring }: SealContext, draft: string): Promise<void> {
  const { trailer, bytes } = await readSeal(draft);
  const body = await bodyOf(draft, bytes);
  let isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body);
  if (isAuthentic === undefined) {
    withOpeningSnapshotKey(home.key, (key) => {
      isAuthentic = keyring.snapshots.isFileAuthentic(trailer, body, key);
      return isAuthentic !== undefined;
    });
  }
  if (isAuthentic !== true) throw changed();
  await replaceEnd(draft, body.bytes, new Uint8Array());
}

/** Runs once, when a version with seals first opens a vault: seals its existing snapshots. */
export async function sealExisting(folder: SnapshotFolder, keyring: Keyring): Promise<void> {
  for (const name of await folder.names()) {
    const path = folder.pathOf(name);
    if ((await folder.find(name)) === undefined) continue;
    const { end, fileBytes } = await readEnd(path, FILE_SEAL_BYTES);
    if (sealedBytes(end, fileBytes) !== undefined) continue;
    const body = await bodyOf(path, fileBytes);
    await replaceEnd(path, body.bytes, keyring.snapshots.sealFile(body));
  }
}

async function readSeal(path: string): Promise<{ bytes: number; trailer: Uint8Array }> {
  const { end, fileBytes } = await readEnd(path, FILE_SEAL_BYTES);
  const bytes = sealedBytes(end, fileBytes);
  if (bytes === undefined) {
    throw new ServiceError(
      'vault_damaged',
      'The file is no snapshot of kyclone or it is damaged: it does not end with the seal of one. If an older version made it, which made no seals, load it there and save it again with this version',
    );
  }
  return { bytes, trailer: end };
}

async function bodyOf(path: string, bytes: number): Promise<FileBody> {
  return { bytes, digest: await digestOfStart(path, bytes) };
}

function changed(): ServiceError {
  return new ServiceError('vault_damaged', 'The snapshot was changed after it was saved; it was not used');
}

/** The vault key, sealed under the snapshot key of this user. */
export function sealedVaultKey({ keyring, home }: SnapshotContext): Uint8Array {
  return withSealingKey(home, (key) => keyring.snapshots.sealFor(key));
}

// The seal is a trailer at the end of the file.

/** The last bytes of a file, fewer if it is shorter, and its size. Follows no link. */
async function readEnd(path: string, bytes: number): Promise<{ end: Buffer; fileBytes: number }> {
  return await withFile(path, async (file) => {
    const { size } = await file.stat();
    const end = Buffer.alloc(Math.min(bytes, size));
    await file.read(end, 0, end.length, size - end.length);
    return { end, fileBytes: size };
  });
}

/** The SHA-256 of the first bytes; yields to other work between the pieces. */
async function digestOfStart(path: string, bytes: number): Promise<Buffer> {
  return await withFile(path, async (file) => {
    const hash = createHash('sha256');
    const piece = Buffer.alloc(Math.min(MIB, Math.max(bytes, 1)));
    for (let at = 0; at < bytes;) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, bytes - at), at);
      if (bytesRead === 0) break;
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest();
  });
}

/** Writes `end` after the first `bytes` of the file and truncates the rest. Throws `storage_full`. */
async function replaceEnd(path: string, bytes: number, end: Uint8Array): Promise<void> {
  try {
    await truncate(path, bytes);
    const file = await open(path, 'r+');
    try {
      for (let at = 0; at < end.length;) {
        at += (await file.write(end, at, end.length - at, bytes + at)).bytesWritten;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    throw isDiskFull(error) ? storageFull(error) : error;
  }
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  const file = await open(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

// Exports and imports snapshots.

/** A copy of the snapshot at `path` that includes its key; removed once it was read. */
export async function copyForElsewhere(
  context: SnapshotContext,
  path: string,
): Promise<{ content: AsyncIterable<Uint8Array>; bytes: number }> {
  await requireWhole(context, path);
  openSnapshot(path, { isWhole: false }).close();
  const draft = await context.home.folder.draft();
  return await orRemoved(draft, async () => {
    await copyInto(draft, path);
    await unsealDraft(draft);
    const sealed = sealedVaultKey(context);
    changeSnapshot(draft, (database) => setSealedVaultKey(database, sealed));
    await sealDraft(context, draft, { isForElsewhere: true });
    return { content: readAndRemove(draft), bytes: (await stat(draft)).size };
  });
}

/** Removes the file when its reader ends, even if nothing was read. */
function readAndRemove(path: string): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const chunks = (async function* () {
        yield* createReadStream(path) as AsyncIterable<Uint8Array>;
      })();
      const end = async () => {
        await chunks.return();
        await removeDraft(path);
        return { done: true, value: undefined } as const;
      };
      return {
        async next() {
          const read = await chunks.next();
          return read.done === true ? await end() : read;
        },
        return: end,
      };
    },
  };
}

/** An imported file, converted to a snapshot of this vault. */
export interface Adopted {
  readonly draft: string;
  readonly access: BroughtAccess;
}

/** Imports a file that `fill` writes to a draft. Throws as `requireCarriedWhole` and `adoptSnapshot`. */
export async function adoptDraft(
  context: SealContext,
  fill: (draft: string) => Promise<void>,
  options: { withAccess: boolean },
): Promise<Adopted> {
  const draft = await context.home.folder.draft();
  return await orRemoved(draft, async () => {
    await fill(draft);
    await requireCarriedWhole(context, draft);
    const access = adoptSnapshot(context, draft, options);
    await sealDraft(context, draft, { isForElsewhere: false });
    return { draft, access };
  });
}

/** `adoptDraft` with the file at `path`, so that a start can verify the file before it changes anything. */
export function adoptFile(
  context: SealContext,
  path: string,
  options: { withAccess: boolean },
): Promise<Adopted> {
  return adoptDraft(context, (draft) => copyInto(draft, path), options);
}

/**
 * Converts an uploaded file, which is our own draft by now, to a snapshot of this vault. Throws `vault_damaged`,
 * `conflict` for one of a newer version, `vault_key_invalid` when it is from another vault and the snapshot key doesn't
 * open it.
 */
function adoptSnapshot(
  { keyring, home }: SealContext,
  draft: string,
  { withAccess }: { withAccess: boolean },
): BroughtAccess {
  const snapshot = openSnapshot(draft, { isWhole: true });
  const { sealedVaultKey: sealed } = snapshot.record;
  const isOurs = keyring.snapshots.opens(snapshot.database);
  snapshot.close();
  let access: BroughtAccess | undefined;
  changeSnapshot(draft, (database) => {
    if (!isOurs) {
      if (sealed === null) {
        throw new ServiceError(
          'vault_key_invalid',
          'The snapshot is of another vault and carries no key: save it there with --file',
        );
      }
      withOpeningSnapshotKey(home.key, (key) => keyring.snapshots.adopt(database, sealed, key));
    }
    setSealedVaultKey(database, null);
    database.exec('DELETE FROM keyring_slots');
    access = judgeAccess(database, { isWanted: withAccess });
  });
  if (!access) throw new Error('the draft was not judged');
  return access;
}
