/**
 * How a daemon proves its identity to a client that has one of its secrets, before the client sends that secret or
 * anything else. The client sends a challenge to GET /_kyclone/health. The response has an HMAC under a key derived
 * from the secret, so the secret itself is never sent.
 *
 * The proof covers the requested host and port, and the daemon only proves its own. So a proof that another program
 * fetched from a daemon on another port is worthless.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** The content of a proof. */
export interface IdentityClaim {
  /** Base64url, chosen by the client and never reused. */
  readonly challenge: string;
  readonly pid: number;
  readonly instance: string;
  /** Host and port in the form of the Host header, lower case. */
  readonly authority: string;
}

/**
 * The secret that both sides know: the control token, or the SHA-256 of an API key, since a daemon stores only that.
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

/** Whether a proof matches this claim; compares in constant time. */
export function isProof(text: unknown, secret: SharedSecret, claim: IdentityClaim): boolean {
  if (typeof text !== 'string') return false;
  const given = Buffer.from(text, 'latin1');
  const expected = Buffer.from(identityProof(secret, claim), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Identifies an API key in a request for proof, without revealing anything about the key. */
export function apiKeyName(digest: Uint8Array): string {
  return derived({ kind: 'api_key', digest }, 'name').subarray(0, KEY_NAME_BYTES).toString('base64url');
}

export function apiKeySecret(key: string): SharedSecret & { kind: 'api_key' } {
  return { kind: 'api_key', digest: hash('sha256', key, 'buffer') };
}

/** Whether a text is canonical base64url of 16 to 64 bytes. */
export function isChallenge(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return (
    bytes.length >= MIN_CHALLENGE_BYTES &&
    bytes.length <= MAX_CHALLENGE_BYTES &&
    bytes.toString('base64url') === text
  );
}

/**
 * A separate key for each kind of secret and each use, so that an output for one is useless for another: the first
 * block of HKDF-Expand (RFC 5869), whose input is uniformly random already.
 */
function derived(secret: SharedSecret, use: 'proof' | 'name'): Buffer {
  const material = secret.kind === 'control_token' ? secret.token : secret.digest;
  return createHmac('sha256', material).update(`kyclone identity ${use} v1\0${secret.kind}\u0001`).digest();
}
