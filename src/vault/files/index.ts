/**
 * Files on disk, sealed and opened as streams: memory holds one chunk, never a whole file. The descriptor of each file
 * has a key of its own, so destroying the descriptor shreds the file.
 *
 * Nothing is released before it is verified. A changed file yields at most the bytes before the change and then fails
 * with `vault_damaged`. A file with another length or another file's bytes yields none.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/text/json.ts';
import { secretBytes } from '../../kernel/ids/random.ts';
import { KIB } from '../../kernel/numbers/units.ts';
import { type BlobReader, type BlobStore, type BlobWriter, isBlobName } from '../../storage/blobs.ts';
import { KEY_BYTES } from '../envelope.ts';

/**
 * The descriptor of a file in a vault: the location of its sealed bytes and how to open them. It is sealed like any
 * value.
 */
export class StoredFile {
  readonly blob: string;
  /** 32 bytes that seal only this file. */
  readonly key: Uint8Array;
  /** As declared at the upload. */
  readonly contentType: string;
  /** Length of the plaintext. */
  readonly bytes: number;
  /** SHA-256 of the plaintext, lower-case hex. */
  readonly sha256: string;

  constructor(members: Readonly<StoredFile>) {
    this.blob = members.blob;
    this.key = members.key;
    this.contentType = members.contentType;
    this.bytes = members.bytes;
    this.sha256 = members.sha256;
  }
}

// The sealed form of a file (docs/architecture.md#vault): a header, then chunks of 64 KiB plaintext, each sealed by
// AES-256-GCM and followed by its 16-byte tag. Only the last chunk is shorter; an empty file is one empty chunk.
//
// The nonce of a chunk consists of its number and a flag for the last one (the STREAM construction). The associated
// data is the header, and each file has a key of its own. So a chunk opens neither at another position, nor in another
// file, nor under another header, and only the last chunk opens as the last. A key seals one file once, so nonces never
// repeat.

/** Plaintext bytes in each chunk except the last. */
export const CHUNK_BYTES = 64 * KIB;
const TAG_BYTES = 16;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

const FORMAT_VERSION = 1;
const AES_256_GCM = 1;
/** The beginning of a blob: "kyfile", the version of the format, the algorithm. */
const HEADER = Uint8Array.of(...Buffer.from('kyfile'), FORMAT_VERSION, AES_256_GCM);

const NONCE_BYTES = 12;
/** The offset of the counter: `writeUIntBE` fills six of the eleven bytes before the flag, enough for 2^48 chunks. */
const COUNTER_AT = 5;
const COUNTER_BYTES = 6;
const FLAG_AT = 11;

/** The position of a chunk in its file. */
interface ChunkPlace {
  /** From 0. */
  readonly index: number;
  readonly isLast: boolean;
}

/** The number of chunks for a plaintext of this many bytes. */
function chunkCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}

/** The length of the blob for a plaintext of this many bytes. */
function sealedBytes(bytes: number): number {
  return HEADER.length + bytes + chunkCount(bytes) * TAG_BYTES;
}

/** The offset of a chunk in its blob. */
function chunkPosition(index: number): number {
  return HEADER.length + index * SEALED_CHUNK_BYTES;
}

/**
 * Seals a chunk into the beginning of `target`, which has room for `SEALED_CHUNK_BYTES`, and returns that part of it.
 * `key` has 32 bytes. Each place may be sealed only once under it.
 */
export function sealChunk(
  key: Uint8Array,
  place: ChunkPlace,
  chunk: { plaintext: Uint8Array; target: Uint8Array },
): Uint8Array {
  const { plaintext, target } = chunk;
  const cipher = createCipheriv('aes-256-gcm', key, nonce(place), { authTagLength: TAG_BYTES });
  cipher.setAAD(HEADER);
  target.set(cipher.update(plaintext));
  cipher.final();
  target.set(cipher.getAuthTag(), plaintext.length);
  return target.subarray(0, plaintext.length + TAG_BYTES);
}

/** The plaintext of a chunk. Throws `vault_damaged` when it was changed, cut, or sealed for another place or file. */
export function openChunk(key: Uint8Array, place: ChunkPlace, sealed: Uint8Array): Uint8Array {
  if (sealed.length < TAG_BYTES) throw damagedFile();
  const tagAt = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(place), { authTagLength: TAG_BYTES });
  decipher.setAAD(HEADER);
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plaintext = decipher.update(sealed.subarray(0, tagAt));
  try {
    decipher.final();
  } catch (error) {
    plaintext.fill(0);
    throw damagedFile(error);
  }
  return plaintext;
}

function damagedFile(cause?: unknown): ServiceError {
  return new ServiceError('vault_damaged', 'The sealed bytes of a file were changed, cut or moved', {
    cause,
  });
}

function nonce({ index, isLast }: ChunkPlace): Uint8Array {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeUIntBE(index, COUNTER_AT, COUNTER_BYTES);
  bytes[FLAG_AT] = isLast ? 1 : 0;
  return bytes;
}

/** The properties of an uploaded file, except its blob. */
interface Sealed {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Seals and stores `content`; in a durable store it is on disk when this settles. When anything throws, the source
 * included, nothing is left and the error is passed on. On a full disk the iterator of the source returns early. A
 * source that must continue afterwards, such as a request that needs a response, must not end itself then.
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
      // A full chunk is not written until another byte arrives, since it may be the last.
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

/** An open stored file. Reading it to its end, leaving the loop, or `close` closes it. */
export type OpenFile = ReturnType<typeof openedFile>;

/** Opens a stored file and verifies its length and first chunk before it settles. Throws `vault_damaged`. */
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

/** Reads within the stored length of the file, even when its blob has changed. */
async function readChunk(reader: BlobReader, file: StoredFile, index: number): Promise<Uint8Array> {
  const isLast = index === chunkCount(file.bytes) - 1;
  const start = chunkPosition(index);
  const end = isLast ? sealedBytes(file.bytes) : chunkPosition(index + 1);
  return openChunk(file.key, { index, isLast }, await reader.read(start, end - start));
}

function openedFile(reader: BlobReader, file: StoredFile, first: Uint8Array) {
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
    /** Length of the whole file. */
    bytes: file.bytes,
    /**
     * The bytes in order, each chunk after its verification; may be called once. Fails with `vault_damaged` at the first
     * chunk that differs from what was stored. Closes the file in every case.
     */
    chunks(): AsyncIterable<Uint8Array> {
      if (isTaken) throw new Error('The chunks of an open file are read once');
      isTaken = true;
      return closingWhenLeft(verified(), reader);
    },
    /** Closes a file that is not iterated. May be called again. */
    close: (): Promise<void> => reader.close(),
  };
}

/** A generator that is closed before its first step runs no `finally`: this closes the reader even then. */
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

export type { FileListener } from './file-listener.ts';

// The descriptor of a file, which the vault seals: compact JSON in a canonical form.

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Encodes the descriptor of a file; the key is in base64. */
export function encodeFile(file: StoredFile): Uint8Array {
  const { blob, contentType, bytes, sha256 } = file;
  const key = Buffer.from(file.key).toString('base64');
  return Buffer.from(JSON.stringify({ blob, key, contentType, bytes, sha256 }), 'utf8');
}

/** Decodes a descriptor. Throws `vault_damaged` for anything that `encodeFile` wouldn't have written. */
export function decodeFile(encoded: Uint8Array): StoredFile {
  const file = fileOf(parsed(encoded));
  // Rejects anything not in canonical form: another order, an extra member, a blank, another spelling of the key.
  if (!file || Buffer.compare(encodeFile(file), encoded) !== 0) throw damagedDescriptor();
  return file;
}

/** Drops the parser's error, which would quote the text, and so the key. */
function parsed(encoded: Uint8Array): JsonValue {
  try {
    return JSON.parse(Buffer.from(encoded).toString('utf8')) as JsonValue;
  } catch {
    throw damagedDescriptor();
  }
}

function fileOf(members: JsonValue): StoredFile | undefined {
  if (!isJsonObject(members)) return undefined;
  const { blob, key, contentType, bytes, sha256 } = members;
  if (typeof blob !== 'string' || !isBlobName(blob)) return undefined;
  if (typeof key !== 'string' || typeof contentType !== 'string') return undefined;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  if (typeof sha256 !== 'string' || !SHA256_HEX.test(sha256)) return undefined;
  const keyBytes = Uint8Array.from(Buffer.from(key, 'base64'));
  if (keyBytes.length !== KEY_BYTES) return undefined;
  return new StoredFile({ blob, key: keyBytes, contentType, bytes, sha256 });
}

function damagedDescriptor(): ServiceError {
  return new ServiceError('vault_damaged', 'The descriptor of a file is damaged');
}
