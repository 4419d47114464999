/**
 * NaCl's secretbox (XSalsa20-Poly1305) of small messages, made of tweetnacl's own functions in the same order as NaCl's
 * paper has them. The library's `secretbox` copies a message twice into arrays of its own and, to open one, makes the
 * stream of its first block twice. Here the stream is made once, in arrays that stay. A decryption opens several values,
 * so these copies were a fifth of all that it left to the garbage collector.
 *
 * The arrays hold a plaintext and a subkey only while a function of this module runs: each clears them before it returns.
 * What is over `SMALL_BYTES` takes the library's way.
 */
import nacl from 'tweetnacl';

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
const NONCE_BYTES = 24;
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
export type MessageReader<T> = (bytes: Buffer, start: number, end: number) => T;

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
