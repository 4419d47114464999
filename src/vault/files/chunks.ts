/**
 * The sealed form of a file (docs/architecture.md#vault): a header, then chunks of 64 KiB plaintext, each sealed by
 * AES-256-GCM and followed by its 16-byte tag. Only the last chunk is shorter; an empty file is one empty chunk.
 *
 * The nonce of a chunk consists of its number and a flag for the last one (the STREAM construction). The associated
 * data is the header, and each file has a key of its own. So a chunk opens neither at another position, nor in another
 * file, nor under another header, and only the last chunk opens as the last. A key seals one file once, so nonces never
 * repeat.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { KIB } from '../../kernel/units.ts';

/** Plaintext bytes in each chunk except the last. */
export const CHUNK_BYTES = 64 * KIB;
const TAG_BYTES = 16;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

const FORMAT_VERSION = 1;
const AES_256_GCM = 1;
/** The beginning of a blob: "kyfile", the version of the format, the algorithm. */
export const HEADER = Uint8Array.of(...Buffer.from('kyfile'), FORMAT_VERSION, AES_256_GCM);

const NONCE_BYTES = 12;
/** The offset of the counter: `writeUIntBE` fills six of the eleven bytes before the flag, enough for 2^48 chunks. */
const COUNTER_AT = 5;
const COUNTER_BYTES = 6;
const FLAG_AT = 11;

/** The position of a chunk in its file. */
export interface ChunkPlace {
  /** From 0. */
  readonly index: number;
  readonly isLast: boolean;
}

/** The number of chunks for a plaintext of this many bytes. */
export function chunkCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}

/** The length of the blob for a plaintext of this many bytes. */
export function sealedBytes(bytes: number): number {
  return HEADER.length + bytes + chunkCount(bytes) * TAG_BYTES;
}

/** The offset of a chunk in its blob. */
export function chunkPosition(index: number): number {
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

export function damagedFile(cause?: unknown): ServiceError {
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
