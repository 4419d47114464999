/**
 * What tells a receiver that a delivery is from here, whole and fresh (contract §9.1): an HMAC over id, time and the
 * raw body. Pure but for `newSecret`.
 */
import { createHmac } from 'node:crypto';
import { HEADER_PREFIXES, type WebhookStyle } from '../../contract/webhook-headers.ts';
import { secretBytes } from '../../kernel/random.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const FEWEST_BYTES = 24;
const MOST_BYTES = 64;

export function newSecret(): string {
  return PREFIX + Buffer.from(secretBytes(SECRET_BYTES)).toString('base64');
}

/** The key that a secret stands for; undefined unless it is whsec_ and the canonical base64 of 24 to 64 bytes. */
export function keyOf(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  const isCanonical = key.toString('base64') === encoded;
  return isCanonical && key.length >= FEWEST_BYTES && key.length <= MOST_BYTES ? key : undefined;
}

export interface Signed {
  readonly id: string;
  /** Unix seconds. */
  readonly seconds: number;
  readonly body: string;
}

/** One signature for each key, in their order, with blanks between. */
export function signatures(keys: readonly Uint8Array[], { id, seconds, body }: Signed): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ');
}

/** The three headers, by the names of the style. */
export function signedHeaders(
  keys: readonly Uint8Array[],
  signed: Signed,
  style: WebhookStyle,
): Record<string, string> {
  const prefix = HEADER_PREFIXES[style];
  return {
    [`${prefix}-id`]: signed.id,
    [`${prefix}-timestamp`]: String(signed.seconds),
    [`${prefix}-signature`]: signatures(keys, signed),
  };
}
