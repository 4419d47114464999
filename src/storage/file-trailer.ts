/** A trailer at the end of a file that describes the rest. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, truncate, type FileHandle } from 'node:fs/promises';
import { MIB } from '../kernel/units.ts';
import { isDiskFull } from './blobs.ts';
import { storageFull } from '../kernel/errors.ts';

/** The last bytes of a file, fewer if it is shorter, and its size. Follows no link. */
export async function readEnd(path: string, bytes: number): Promise<{ end: Buffer; fileBytes: number }> {
  return await withFile(path, async (file) => {
    const { size } = await file.stat();
    const end = Buffer.alloc(Math.min(bytes, size));
    await file.read(end, 0, end.length, size - end.length);
    return { end, fileBytes: size };
  });
}

/** The SHA-256 of the first bytes; yields to other work between the pieces. */
export async function digestOfStart(path: string, bytes: number): Promise<Buffer> {
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
export async function replaceEnd(path: string, bytes: number, end: Uint8Array): Promise<void> {
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
