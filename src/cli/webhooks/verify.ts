/**
 * Whether a delivery is what an endpoint's secret signed (contract §9.1). Guarantees: no signature is compared in a time
 * that tells how much of it is right, base64 is taken strictly, and nothing of a secret is in what is answered.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedDelivery {
  /** `whsec_` and base64, each; what `isWebhookSecret` says yes to. */
  readonly secrets: readonly string[];
  /** As they came, in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
  readonly toleranceMs: number;
}

export const INVALID_REASONS = [
  'header_missing',
  'header_repeated',
  'header_malformed',
  'no_signature_matches',
  'timestamp_too_old',
  'timestamp_too_new',
] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number];

export interface Verdict {
  readonly valid: boolean;
  readonly reason: InvalidReason | null;
  readonly message: string;
  readonly hint: string | null;
  readonly webhook_id: string | null;
  /** When it was signed. */
  readonly signed_at: string | null;
}

/** The names that the headers may begin with, in the order in which they are looked for. */
const STYLES = ['webhook', 'svix'] as const;
const PARTS = ['id', 'timestamp', 'signature'] as const;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const SIGNATURE_BYTES = 32;

export function isWebhookSecret(text: string): boolean {
  return secretBytes(text) !== undefined;
}

export function verifyWebhook(delivery: SignedDelivery): Verdict {
  const { headers } = delivery;
  const style = STYLES.find((one) => hasAll(headers, one)) ?? STYLES.find((one) => hasAny(headers, one));
  const names = PARTS.map((part) => `${style ?? STYLES[0]}-${part}`);
  const values = names.map((name) => valuesOf(headers, name));
  const missing = names.filter((_, index) => values[index]?.length === 0);
  if (missing.length > 0) return invalid('header_missing', `Missing: ${missing.join(', ')}`);
  const repeated = names.filter((_, index) => (values[index]?.length ?? 0) > 1);
  if (repeated.length > 0) return invalid('header_repeated', `More than once: ${repeated.join(', ')}`);
  const [id = '', seconds = '', signatures = ''] = values.map(([value]) => value ?? '');
  if (!/^\d{1,11}$/.test(seconds)) return malformed(`${names[1] ?? ''} is not a time in seconds`);
  if (id === '') return malformed(`${names[0] ?? ''} is empty`);
  const candidates = signatures.split(' ').filter((one) => one !== '');
  const signed = candidates.flatMap((one) => signatureBytes(one) ?? []);
  if (signed.length === 0) return malformed(`${names[2] ?? ''} holds no "v1," with the base64 of 32 bytes`);
  return judge({ ...delivery, id, seconds, signed });
}

interface Candidate extends SignedDelivery {
  readonly id: string;
  readonly seconds: string;
  readonly signed: readonly Buffer[];
}

function judge(candidate: Candidate): Verdict {
  const { id, seconds, now, toleranceMs } = candidate;
  const at = Number(seconds) * 1000;
  const about = { webhook_id: id, signed_at: new Date(at).toISOString() };
  if (!matches(candidate)) {
    const message = 'No signature is that of this body under the given secret';
    return { ...invalid('no_signature_matches', message, hintOfMismatch(candidate)), ...about };
  }
  const late = Math.floor(now / 1000) * 1000 - at;
  if (Math.abs(late) <= toleranceMs) {
    return { valid: true, reason: null, message: 'The signature is valid', hint: null, ...about };
  }
  const offset = `${Math.round(Math.abs(late) / 1000)} s`;
  const clockHint = 'the signature itself is right; --at judges by another time, --tolerance allows more';
  return late > 0
    ? {
        ...invalid('timestamp_too_old', `Signed ${offset} before the time it is judged by`, clockHint),
        ...about,
      }
    : {
        ...invalid('timestamp_too_new', `Signed ${offset} after the time it is judged by`, clockHint),
        ...about,
      };
}

/** Every signature is compared with every secret, whichever fits first. */
function matches({ secrets, signed, id, seconds, body }: Candidate): boolean {
  let isMatch = false;
  for (const secret of secrets) {
    const expected = sign(secret, { id, seconds, body });
    for (const signature of signed) if (timingSafeEqual(signature, expected)) isMatch = true;
  }
  return isMatch;
}

/** An editor or a shell puts a line end behind a body, and that is another body. */
function hintOfMismatch(candidate: Candidate): string {
  const { body } = candidate;
  const text = Buffer.from(body).toString('latin1');
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed !== text && matches({ ...candidate, body: Buffer.from(trimmed, 'latin1') })) {
    return 'without its last line end the body matches: it has to be as it came, byte by byte';
  }
  return 'another secret, or a body that is not as it came, byte by byte';
}

function sign(secret: string, { id, seconds, body }: Pick<Candidate, 'id' | 'seconds' | 'body'>): Buffer {
  const key = secretBytes(secret);
  if (key === undefined) throw new TypeError('not a webhook secret');
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
}

function secretBytes(text: string): Buffer | undefined {
  const encoded = SECRET.exec(text)?.[1];
  return encoded === undefined ? undefined : strictBase64(encoded);
}

function signatureBytes(text: string): Buffer | undefined {
  const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text)?.[1];
  const bytes = encoded === undefined ? undefined : strictBase64(encoded);
  return bytes?.length === SIGNATURE_BYTES ? bytes : undefined;
}

/** Undefined unless it is the one way to write these bytes. */
function strictBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}

function valuesOf(headers: SignedDelivery['headers'], name: string): string[] {
  return headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value.trim());
}

function hasAll(headers: SignedDelivery['headers'], style: string): boolean {
  return PARTS.every((part) => valuesOf(headers, `${style}-${part}`).length > 0);
}

function hasAny(headers: SignedDelivery['headers'], style: string): boolean {
  return PARTS.some((part) => valuesOf(headers, `${style}-${part}`).length > 0);
}

function malformed(message: string): Verdict {
  return invalid('header_malformed', message);
}

function invalid(reason: InvalidReason, message: string, hint: string | null = null): Verdict {
  return { valid: false, reason, message, hint, webhook_id: null, signed_at: null };
}
