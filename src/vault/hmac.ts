/**
 * HMAC-SHA256 (RFC 2104) by two one-shot hashes. Every sealed value has a key of its own and every fingerprint is an
 * HMAC, so a write calls this function most often. `createHmac` spends most of its time on creating the object. Key and
 * message are overwritten before it returns.
 */
import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const KEY_BYTES = 32;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** Longer messages are rare and use the library. */
const SCRATCH_BYTES = 8192;

const inner = Buffer.alloc(BLOCK_BYTES + SCRATCH_BYTES, INNER_PAD);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, OUTER_PAD);

/** The HMAC of a text in UTF-8 under a 32-byte key. */
export function hmac(key: Uint8Array, message: string): Buffer {
  if (key.length !== KEY_BYTES) throw new RangeError('this HMAC takes keys of 32 bytes');
  // A UTF-16 unit takes at most three bytes, so the text fits the buffer.
  if (message.length * 3 > SCRATCH_BYTES) return createHmac('sha256', key).update(message, 'utf8').digest();
  const end = BLOCK_BYTES + inner.write(message, BLOCK_BYTES, 'utf8');
  try {
    for (let index = 0; index < KEY_BYTES; index++) {
      const byte = key[index] ?? 0;
      inner[index] = byte ^ INNER_PAD;
      outer[index] = byte ^ OUTER_PAD;
    }
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary');
    return Buffer.from(hash('sha256', outer, 'binary'), 'binary');
  } finally {
    wipe(inner, INNER_PAD, end);
    wipe(outer, OUTER_PAD, outer.length);
  }
}

/** A loop, because `fill` costs more than the few bytes. */
function wipe(buffer: Buffer, pad: number, end: number): void {
  for (let index = 0; index < KEY_BYTES; index++) buffer[index] = pad;
  for (let index = BLOCK_BYTES; index < end; index++) buffer[index] = 0;
}
