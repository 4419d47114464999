/**
 * The sealed form of every small value and key (docs/architecture.md#vault): `version(1) algorithm(1) nonce(24) box`.
 *
 * secretbox has no associated data. So the context of a box is part of its key: each key is expanded from its parent
 * with the full context (`derivedKey`). A box that is moved to another row, version or entity doesn't open.
 */
import nacl from 'tweetnacl';
import { ServiceError } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/random.ts';
import { isWellFormedText } from '../kernel/well-formed.ts';
import { hmac } from './hmac.ts';

export const KEY_BYTES = 32;

const ENVELOPE_VERSION = 1;
const SECRETBOX = 1;
const NONCE_BYTES = 24;
const HEADER_BYTES = 2 + NONCE_BYTES;

/** Seals `plaintext` under a 32-byte key with a fresh nonce. */
export function seal(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const nonce = secretBytes(NONCE_BYTES);
  const box = nacl.secretbox(plaintext, nonce, key);
  const envelope = new Uint8Array(HEADER_BYTES + box.length);
  envelope[0] = ENVELOPE_VERSION;
  envelope[1] = SECRETBOX;
  envelope.set(nonce, 2);
  envelope.set(box, HEADER_BYTES);
  return envelope;
}

/** Opens an envelope, or throws `vault_damaged` when it was changed, moved, truncated or sealed under another key. */
export function open(key: Uint8Array, envelope: Uint8Array): Uint8Array {
  if (envelope[0] === ENVELOPE_VERSION && envelope[1] === SECRETBOX && envelope.length >= HEADER_BYTES) {
    // Plain Uint8Array views: a slice of a Buffer is a Buffer again, at twice the cost.
    const { buffer, byteOffset, length } = envelope;
    const nonce = new Uint8Array(buffer, byteOffset + 2, NONCE_BYTES);
    const box = new Uint8Array(buffer, byteOffset + HEADER_BYTES, length - HEADER_BYTES);
    const plaintext = nacl.secretbox.open(box, nonce, key);
    if (plaintext) return plaintext;
  }
  throw new ServiceError(
    'vault_damaged',
    'A sealed value failed its authentication: it was changed or moved',
  );
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
