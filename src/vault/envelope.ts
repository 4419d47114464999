/**
 * The sealed form of every small value and key (docs/architecture.md#vault): `version(1) algorithm(1) nonce(24) box`.
 *
 * secretbox has no associated data. So the context of a box is part of its key: each key is expanded from its parent
 * with the full context (`derivedKey`). A box that is moved to another row, version or entity doesn't open.
 */
import nacl from 'tweetnacl';
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/ids/random.ts';
import { isWellFormedText } from '../kernel/text/text.ts';

export const KEY_BYTES = 32;

const ENVELOPE_VERSION = 1;
const SECRETBOX = 1;
const NONCE_AT = 2;
const NONCE_BYTES = 24;
const HEADER_BYTES = NONCE_AT + NONCE_BYTES;

/** Seals `plaintext` under a 32-byte key with a fresh nonce. */
export function seal(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const envelope = new Uint8Array(HEADER_BYTES + TAG_BYTES + plaintext.length);
  envelope[0] = ENVELOPE_VERSION;
  envelope[1] = SECRETBOX;
  envelope.set(secretBytes(NONCE_BYTES), NONCE_AT);
  sealInto(envelope, NONCE_AT, { key: requireKey(key), message: plaintext });
  return envelope;
}

/** Opens an envelope, or throws `vault_damaged` when it was changed, moved, truncated or sealed under another key. */
export function open(key: Uint8Array, envelope: Uint8Array): Uint8Array {
  return openAs(key, envelope, copyOf);
}

/** As `open`: returns what `read` makes of the plaintext, which is in memory for only as long as `read` runs. */
export function openAs<T>(key: Uint8Array, envelope: Uint8Array, read: MessageReader<T>): T {
  if (envelope[0] === ENVELOPE_VERSION && envelope[1] === SECRETBOX) {
    const found = openFrom(envelope, NONCE_AT, { key: requireKey(key), read });
    if (found !== undefined) return found;
  }
  throw new ServiceError(
    'vault_damaged',
    'A sealed value failed its authentication: it was changed or moved',
  );
}

function requireKey(key: Uint8Array): Uint8Array {
  if (key.length !== KEY_BYTES) throw new RangeError('a value is sealed under a key of 32 bytes');
  return key;
}

/** The result, or undefined when the value doesn't open: the rest is still usable. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'vault_damaged') return undefined;
    throw error;
  }
}

/**
 * HKDF-Expand (RFC 5869) of one block: 32 bytes from a 32-byte `parent` and the context parts. Each part is preceded by
 * its length, so that different lists of parts never give the same context. Throws RangeError for a part with an
 * unpaired surrogate: UTF-8 can't encode it, and two such parts would give the same key.
 */
export function derivedKey(parent: Uint8Array, ...context: string[]): Uint8Array {
  let text = '';
  for (const part of context) text += `${part.length}:${part}`;
  if (!isWellFormedText(text)) throw new RangeError('a key is derived from well-formed texts only');
  return hmac(parent, `${text}\x01`);
}

// NaCl's secretbox (XSalsa20-Poly1305) of small messages, made of tweetnacl's own functions in the same order as NaCl's
// paper has them. The library's `secretbox` copies a message twice into arrays of its own and, to open one, makes the
// stream of its first block twice. Here the stream is made once, in arrays that stay. A decryption opens several values,
// so these copies were a fifth of all that it left to the garbage collector.
//
// The arrays hold a plaintext and a subkey only while a function of this module runs: each clears them before it returns.
// What is over `SMALL_BYTES` takes the library's way.

/** What tweetnacl has and its types leave out, as in NaCl: 0 is success, `pos` is where an array is read or written. */
interface LowLevel {
  crypto_core_hsalsa20(out: Uint8Array, input: Uint8Array, key: Uint8Array, constant: Uint8Array): void;
  crypto_stream_salsa20_xor(
    ...given: [
      out: Uint8Array,
      pos: number,
      message: Uint8Array,
      pos: number,
      bytes: number,
      nonce: Uint8Array,
      key: Uint8Array,
    ]
  ): void;
  crypto_onetimeauth(
    ...given: [out: Uint8Array, pos: number, message: Uint8Array, pos: number, bytes: number, key: Uint8Array]
  ): void;
  /** Compares in constant time. */
  crypto_verify_16(one: Uint8Array, pos: number, other: Uint8Array, pos2: number): number;
}

const { lowlevel } = nacl as unknown as { readonly lowlevel: LowLevel };

export const TAG_BYTES = 16;
/** The part of the nonce that makes the subkey; the rest makes the stream. */
const SUBKEY_NONCE_BYTES = 16;
/** The first bytes of the stream: the key of the tag. */
const TAG_KEY_BYTES = 32;
const SMALL_BYTES = 1024;

const SIGMA = Uint8Array.from('expand 32-byte k', (character) => character.charCodeAt(0));
const nonce = new Uint8Array(NONCE_BYTES);
const shortNonce = new Uint8Array(NONCE_BYTES - SUBKEY_NONCE_BYTES);
const subkey = new Uint8Array(32);
/** What is sealed or opened, behind zeros: XOR makes the key of the tag of these. */
const input = new Uint8Array(TAG_KEY_BYTES + SMALL_BYTES);
const output = new Uint8Array(TAG_KEY_BYTES + SMALL_BYTES);
/** The same bytes, for readers. */
const opened = Buffer.from(output.buffer);
const tag = new Uint8Array(TAG_BYTES);

/** Puts the box of a message, its tag first, into `envelope` behind the nonce that stands there at `at`. */
export function sealInto(envelope: Uint8Array, at: number, { key, message }: SealedUnder): void {
  const start = at + NONCE_BYTES;
  if (message.length > SMALL_BYTES) {
    envelope.set(nacl.secretbox(bare(message), envelope.slice(at, start), bare(key)), start);
    return;
  }
  const bytes = TAG_KEY_BYTES + message.length;
  copy(message, 0, message.length);
  xorWithStream(bytes, { key, envelope, at });
  lowlevel.crypto_onetimeauth(envelope, start, output, TAG_KEY_BYTES, message.length, output);
  for (let index = 0; index < message.length; index++) {
    envelope[start + TAG_BYTES + index] = output[TAG_KEY_BYTES + index] ?? 0;
  }
  clear(bytes);
}

/** Takes what it needs of a message, which is `bytes` from `start` to `end`, and keeps no view of it: it is cleared. */
type MessageReader<T> = (bytes: Buffer, start: number, end: number) => T;

/**
 * What `read` makes of the message of the box behind the nonce that stands at `at`; undefined when its tag is not of
 * this key. `read` seals and opens nothing itself.
 */
export function openFrom<T>(
  envelope: Uint8Array,
  at: number,
  { key, read }: { readonly key: Uint8Array; readonly read: MessageReader<T> },
): T | undefined {
  const start = at + NONCE_BYTES;
  const length = envelope.length - start - TAG_BYTES;
  if (length < 0) return undefined;
  if (length > SMALL_BYTES) {
    const message = nacl.secretbox.open(bare(envelope.subarray(start)), envelope.slice(at, start), bare(key));
    return message
      ? read(Buffer.from(message.buffer, message.byteOffset, message.length), 0, length)
      : undefined;
  }
  const bytes = TAG_KEY_BYTES + length;
  copy(envelope, start + TAG_BYTES, length);
  xorWithStream(bytes, { key, envelope, at });
  lowlevel.crypto_onetimeauth(tag, 0, input, TAG_KEY_BYTES, length, output);
  const isOurs = lowlevel.crypto_verify_16(tag, 0, envelope, start) === 0;
  try {
    return isOurs ? read(opened, TAG_KEY_BYTES, bytes) : undefined;
  } finally {
    clear(bytes);
  }
}

/** Reads a message as bytes of its own. */
export function copyOf(bytes: Buffer, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}

interface SealedUnder {
  readonly key: Uint8Array;
  readonly message: Uint8Array;
}

/** Element by element, as the messages are short: a view of each would cost more than copying it. */
function copy(from: Uint8Array, start: number, length: number): void {
  for (let index = 0; index < length; index++) input[TAG_KEY_BYTES + index] = from[start + index] ?? 0;
}

/** From `input` to `output`, under the nonce of the envelope. */
function xorWithStream(
  bytes: number,
  { key, envelope, at }: { key: Uint8Array; envelope: Uint8Array; at: number },
): void {
  for (let index = 0; index < NONCE_BYTES; index++) nonce[index] = envelope[at + index] ?? 0;
  for (let index = 0; index < shortNonce.length; index++) {
    shortNonce[index] = nonce[SUBKEY_NONCE_BYTES + index] ?? 0;
  }
  lowlevel.crypto_core_hsalsa20(subkey, nonce, key, SIGMA);
  lowlevel.crypto_stream_salsa20_xor(output, 0, input, 0, bytes, shortNonce, subkey);
}

function clear(bytes: number): void {
  input.fill(0, TAG_KEY_BYTES, bytes);
  output.fill(0, 0, bytes);
  subkey.fill(0);
}

/** A view of the bare type: tweetnacl takes a Buffer, but slices of one would be Buffers again, at twice the cost. */
function bare(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Compares in constant time; bytes of different lengths differ. */
export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

// HMAC-SHA256 (RFC 2104) by two one-shot hashes. Every sealed value has a key of its own and every fingerprint is an
// HMAC, so a write calls this function most often. `createHmac` spends most of its time on creating the object. Key and
// message are overwritten before it returns.

const BLOCK_BYTES = 64;
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
