/**
 * How a daemon proves to a client that it is the one that the client holds a secret of, before the client sends that
 * secret or anything else. The client sends a challenge to GET /_kyclone/health; the answer is an HMAC under a key
 * that is derived from the secret, so the secret itself never travels.
 *
 * The proof covers the host and port that the client asked for. The daemon answers for its own only, so an answer that
 * another program fetched from a daemon on another port is worth nothing.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** What a proof is about. */
export interface IdentityClaim {
  /** Base64url, of the client's choice: never used twice. */
  readonly challenge: string;
  readonly pid: number;
  readonly instance: string;
  /** Host and port as the Host header has them, lower case. */
  readonly authority: string;
}

/**
 * The secret that both sides know: the control token, or the SHA-256 of an API key, which is all that a daemon keeps.
 */
export type SharedSecret =
  | { readonly kind: 'control_token'; readonly token: string }
  | { readonly kind: 'api_key'; readonly digest: Uint8Array };

const KEY_NAME_BYTES = 16;
const MIN_CHALLENGE_BYTES = 16;
const MAX_CHALLENGE_BYTES = 64;

/** HMAC-SHA256 over the claim, base64url. */
export function identityProof(secret: SharedSecret, claim: IdentityClaim): string {
  const { challenge, pid, instance, authority } = claim;
  return createHmac('sha256', derived(secret, 'proof'))
    .update(JSON.stringify([challenge, pid, instance, authority]))
    .digest('base64url');
}

/** Whether a proof is the one of this claim; in constant time. */
export function isProof(text: unknown, secret: SharedSecret, claim: IdentityClaim): boolean {
  if (typeof text !== 'string') return false;
  const given = Buffer.from(text, 'latin1');
  const expected = Buffer.from(identityProof(secret, claim), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The name by which a client asks a daemon to prove its knowledge of an API key. It reveals nothing about the key. */
export function apiKeyName(digest: Uint8Array): string {
  return derived({ kind: 'api_key', digest }, 'name').subarray(0, KEY_NAME_BYTES).toString('base64url');
}

export function apiKeySecret(key: string): SharedSecret & { kind: 'api_key' } {
  return { kind: 'api_key', digest: hash('sha256', key, 'buffer') };
}

/** Whether a text is base64url as an encoder writes it, of 16 to 64 bytes. */
export function isChallenge(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return (
    bytes.length >= MIN_CHALLENGE_BYTES &&
    bytes.length <= MAX_CHALLENGE_BYTES &&
    bytes.toString('base64url') === text
  );
}

/**
 * A key for each kind of secret and each use, so that nothing made for one is of use for another: the first block of
 * HKDF-Expand (RFC 5869), whose input is uniformly random already.
 */
function derived(secret: SharedSecret, use: 'proof' | 'name'): Buffer {
  const material = secret.kind === 'control_token' ? secret.token : secret.digest;
  return createHmac('sha256', material).update(`kyclone identity ${use} v1\0${secret.kind}\u0001`).digest();
}
