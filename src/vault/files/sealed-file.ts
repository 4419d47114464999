/**
 * Files on disk, sealed while they stream in and opened while they stream out: memory holds a chunk, never a file.
 * Each has a key of its own, which its descriptor holds; who destroys the descriptor shreds the file.
 *
 * Nothing is released before it is verified. A file that was changed gives the bytes before the change at most, then
 * `vault_damaged`; one of another length, or of another file's bytes, gives none.
 */
import { createHash } from 'node:crypto';
import { secretBytes } from '../../kernel/random.ts';
import type { BlobReader, BlobStore, BlobWriter } from '../../storage/blobs.ts';
import { KEY_BYTES } from '../envelope.ts';
import {
  CHUNK_BYTES,
  chunkCount,
  chunkPosition,
  damagedFile,
  HEADER,
  openChunk,
  SEALED_CHUNK_BYTES,
  sealChunk,
  sealedBytes,
} from './chunks.ts';
import { StoredFile } from './stored-file.ts';

/** The properties of an uploaded file, besides its blob. */
interface Sealed {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Stores `content` sealed, and on disk in a durable store, before it settles. When anything throws, the source
 * included, nothing is left and the error is passed on. A source that has to go on after a full disk, such as a request
 * that is still to be answered, must not end itself when its iterator returns early.
 */
export async function sealFile(
  blobs: BlobStore,
  source: { contentType: string; content: AsyncIterable<Uint8Array> },
): Promise<StoredFile> {
  const key = secretBytes(KEY_BYTES);
  const writer = await blobs.create();
  try {
    const sealed = await sealInto(writer, key, source.content);
    return new StoredFile({ blob: await writer.commit(), key, contentType: source.contentType, ...sealed });
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

async function sealInto(
  writer: BlobWriter,
  key: Uint8Array,
  content: AsyncIterable<Uint8Array>,
): Promise<Sealed> {
  const hash = createHash('sha256');
  const plaintext = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const target = Buffer.allocUnsafeSlow(SEALED_CHUNK_BYTES);
  let bytes = 0;
  let filled = 0;
  let index = 0;

  const writeChunk = (isLast: boolean) => {
    const chunk = { plaintext: plaintext.subarray(0, filled), target };
    filled = 0;
    return writer.write(sealChunk(key, { index: index++, isLast }, chunk));
  };

  await writer.write(HEADER);
  for await (const part of content) {
    hash.update(part);
    bytes += part.length;
    for (let taken = 0; taken < part.length;) {
      // A full chunk waits for another byte: until then it may be the last.
      if (filled === plaintext.length) await writeChunk(false);
      const piece = part.subarray(taken, taken + plaintext.length - filled);
      plaintext.set(piece, filled);
      filled += piece.length;
      taken += piece.length;
    }
  }
  await writeChunk(true);
  return { bytes, sha256: hash.digest('hex') };
}

/** A stored file, open. It is closed by reading it to its end, or by leaving the loop, or by `close`. */
export interface OpenFile {
  /** Length of the whole. */
  readonly bytes: number;
  /**
   * The bytes in order, each chunk after it was verified; once only. Ends with `vault_damaged` at the first chunk that
   * isn't what was stored. Closes the file however it ends.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Closes a file that is not iterated. May be called again. */
  close(): Promise<void>;
}

/** Opens a stored file; its length and first chunk are verified when it settles. Throws `vault_damaged`. */
export async function openFile(blobs: BlobStore, file: StoredFile): Promise<OpenFile> {
  const reader = await blobs.open(file.blob);
  try {
    const first = await readFirst(reader, file);
    return openedFile(reader, file, first);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

async function readFirst(reader: BlobReader, file: StoredFile): Promise<Uint8Array> {
  if (reader.size !== sealedBytes(file.bytes)) throw damagedFile();
  const header = await reader.read(0, HEADER.length);
  if (!HEADER.every((byte, index) => header[index] === byte)) throw damagedFile();
  return readChunk(reader, file, 0);
}

/** Reads within the length the file had when it was stored, even when its blob has changed. */
async function readChunk(reader: BlobReader, file: StoredFile, index: number): Promise<Uint8Array> {
  const isLast = index === chunkCount(file.bytes) - 1;
  const start = chunkPosition(index);
  const end = isLast ? sealedBytes(file.bytes) : chunkPosition(index + 1);
  return openChunk(file.key, { index, isLast }, await reader.read(start, end - start));
}

function openedFile(reader: BlobReader, file: StoredFile, first: Uint8Array): OpenFile {
  let isTaken = false;

  async function* verified(): AsyncGenerator<Uint8Array, undefined> {
    try {
      if (first.length > 0) yield first;
      for (let index = 1; index < chunkCount(file.bytes); index++) {
        yield await readChunk(reader, file, index);
      }
    } finally {
      await reader.close();
    }
  }

  return {
    bytes: file.bytes,
    chunks() {
      if (isTaken) throw new Error('The chunks of an open file are read once');
      isTaken = true;
      return closingWhenLeft(verified(), reader);
    },
    close: () => reader.close(),
  };
}

/** A generator that is left before its first step runs none of its `finally`: here the reader is closed even then. */
function closingWhenLeft(
  generator: AsyncGenerator<Uint8Array, undefined>,
  reader: BlobReader,
): AsyncIterable<Uint8Array> {
  const iterator: AsyncIterator<Uint8Array, undefined> = {
    next: () => generator.next(),
    async return() {
      const result = await generator.return(undefined);
      await reader.close();
      return result;
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
