/**
 * The sealed form of every small value and key (docs/architecture.md#vault): `version(1) algorithm(1) nonce(24) box`.
 *
 * secretbox has no associated data. So the context of a box is part of its key: each key is expanded from its parent
 * with the full context (`derivedKey`). A box that is moved to another row, version or entity doesn't open.
 */
import { ServiceError } from '../kernel/errors.ts';
import { secretBytes } from '../kernel/random.ts';
import { isWellFormedText } from '../kernel/text.ts';
import { hmac } from './hmac.ts';
import { copyOf, openFrom, sealInto, TAG_BYTES, type MessageReader } from './secretbox.ts';

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
