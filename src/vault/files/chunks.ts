/**
 * The sealed form of a file's bytes (docs/architecture.md#vault): a header, then chunks of 64 KiB plaintext, each
 * sealed by AES-256-GCM with its 16-byte tag behind it. Only the last chunk is shorter; an empty file is one empty
 * chunk.
 *
 * The nonce of a chunk is its number and whether it is the last (the STREAM construction), its associated data the
 * header, its key that of this one file. So no chunk opens at another place, in another file, under another header,
 * and none as the last but the last. A key seals one file once: no nonce comes twice.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { KIB } from '../../kernel/units.ts';

/** Plaintext in each chunk but the last. */
export const CHUNK_BYTES = 64 * KIB;
const TAG_BYTES = 16;
export const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

const FORMAT_VERSION = 1;
const AES_256_GCM = 1;
/** What a blob begins with: "kyfile", the version of the format, the algorithm. */
export const HEADER = Uint8Array.of(...Buffer.from('kyfile'), FORMAT_VERSION, AES_256_GCM);

const NONCE_BYTES = 12;
/** The counter's place: `writeUIntBE` fills six of the eleven bytes before the flag, which is 2^48 chunks. */
const COUNTER_AT = 5;
const COUNTER_BYTES = 6;
const FLAG_AT = 11;

/** Where a chunk stands in its file. */
export interface ChunkPlace {
  /** From 0. */
  readonly index: number;
  readonly isLast: boolean;
}

/** How many chunks hold a plaintext of this many bytes. */
export function chunkCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / CHUNK_BYTES));
}

/** The length of a blob whose plaintext has this many bytes. */
export function sealedBytes(bytes: number): number {
  return HEADER.length + bytes + chunkCount(bytes) * TAG_BYTES;
}

/** Where in its blob a chunk begins. */
export function chunkPosition(index: number): number {
  return HEADER.length + index * SEALED_CHUNK_BYTES;
}

/**
 * Seals a chunk into the beginning of `target`, which has room for `SEALED_CHUNK_BYTES`, and returns that part of it.
 * `key` has 32 bytes, and a place is sealed once under it.
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

/** The plaintext of a chunk, or `vault_damaged` when it was changed, cut, or sealed for another place or file. */
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
