/**
 * The signature by which a receiver verifies that a delivery is authentic, unchanged and recent (contract §9.1): an
 * HMAC over id, time and the raw body. Pure except for `newSecret`.
 */
import { createHmac } from 'node:crypto';
import type { WebhookStyle } from '../../settings/facts.ts';
import { HEADER_PREFIXES, WEBHOOK_SECRET_BYTES } from '../facts.ts';
import { CREDENTIAL_PREFIX } from '../../../kernel/ids/ids.ts';
import { secretBytes } from '../../../kernel/ids/random.ts';
import { canonicalBase64 } from '../../../kernel/text/text.ts';

const PREFIX = CREDENTIAL_PREFIX.webhookSecret;

export function newSecret(): string {
  return PREFIX + Buffer.from(secretBytes(WEBHOOK_SECRET_BYTES.made)).toString('base64');
}

/** The key in a secret; undefined unless it is whsec_ and the canonical base64 of 24 to 64 bytes. */
export function keyOf(secret: string): Uint8Array | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const key = canonicalBase64(secret.slice(PREFIX.length));
  const { least, most } = WEBHOOK_SECRET_BYTES;
  return key && key.length >= least && key.length <= most ? key : undefined;
}

export interface Signed {
  readonly id: string;
  /** Unix seconds. */
  readonly seconds: number;
  readonly body: string;
}

/** One signature for each key, in order, separated by blanks. */
export function signatures(keys: readonly Uint8Array[], { id, seconds, body }: Signed): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ');
}

/** The three headers, with the names of the style. `signature`: of the same id and time, by `signatures`. */
export function signedHeaders(
  { id, seconds, signature }: Pick<Signed, 'id' | 'seconds'> & { readonly signature: string },
  style: WebhookStyle,
): Record<string, string> {
  const prefix = HEADER_PREFIXES[style];
  return {
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(seconds),
    [`${prefix}-signature`]: signature,
  };
}
