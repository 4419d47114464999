/** Sealed files in a temporary folder. Helpers list the folder, read the files and damage them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlobStore } from '../../../src/storage/blobs.ts';
import { openFile, sealFile, type StoredFile } from '../../../src/vault/files/index.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';
import { openHandles } from '../../support/open-handles.ts';

export const CHUNK = 65_536;
export const HEADER = 8;
export const TAG = 16;

export function aBlobStore() {
  const folder = join(tempDir(), 'files');
  const blobs = createBlobStore({ folder, isDurable: false });
  const entries = () => readdirSync(folder);
  const pathOf = (file: StoredFile) => join(folder, file.blob);
  const sealedOf = (file: StoredFile) => readFileSync(pathOf(file));

  const seal = (plaintext: Uint8Array, contentType = 'image/png') =>
    sealFile(blobs, { contentType, content: inParts([plaintext]) });

  /** Returns the bytes that a reader gets, and the error that ends the read, if there is one. */
  async function read(file: StoredFile): Promise<{ released: Buffer; error?: unknown }> {
    const parts: Uint8Array[] = [];
    try {
      for await (const part of (await openFile(blobs, file)).chunks()) parts.push(part);
    } catch (error) {
      return { released: Buffer.concat(parts), error };
    }
    return { released: Buffer.concat(parts) };
  }

  /** Replaces the sealed bytes of a file with the result of `change`. */
  function damage(file: StoredFile, change: (sealed: Buffer) => Uint8Array): void {
    writeFileSync(pathOf(file), change(sealedOf(file)));
  }

  return {
    folder,
    blobs,
    entries,
    pathOf,
    sealedOf,
    seal,
    read,
    damage,
    openHandles: () => openHandles(folder),
  };
}

export async function* inParts(parts: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  for (const part of parts) {
    await Promise.resolve();
    yield part;
  }
}

/** Returns bytes in which no two chunks are equal. */
export function someBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 16) * 7 + (at >> 8)) & 0xff;
  return bytes;
}
