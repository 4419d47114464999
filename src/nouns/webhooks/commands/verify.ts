/**
 * Verifies that an endpoint's secret signed a delivery (contract §9.1). Guarantees: signatures are compared in
 * constant time, base64 is decoded strictly, and no message contains any part of a secret. Secrets, headers and the
 * body come from flags, files, stdin or a hidden prompt.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { HEADER_PREFIXES } from '../facts.ts';
import { CREDENTIAL_PREFIX } from '../../../kernel/ids/ids.ts';
import { isJsonObject, jsonOf } from '../../../kernel/text/json.ts';
import { canonicalBase64 } from '../../../kernel/text/text.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import {
  readBytes,
  readText,
  headerLines,
  headerTexts,
  parseHeader,
  readsStdin,
  type Header,
  requireNoFileName,
} from '../../../cli/shell/fields.ts';
import type { InputSource } from '../../../cli/shell/input.ts';

export interface SignedDelivery {
  /** Each is `whsec_` plus base64, as `isWebhookSecret` requires. */
  readonly secrets: readonly string[];
  /** As received, in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
  readonly toleranceMs: number;
}

type InvalidReason =
  | 'header_missing'
  | 'header_repeated'
  | 'header_malformed'
  | 'no_signature_matches'
  | 'timestamp_too_old'
  | 'timestamp_too_new';

export interface SignatureVerdict {
  readonly valid: boolean;
  readonly reason: InvalidReason | null;
  readonly message: string;
  readonly hint: string | null;
  readonly webhook_id: string | null;
  readonly signed_at: string | null;
}

/** The possible prefixes of the headers, in the order in which they are tried. */
const STYLES = Object.values(HEADER_PREFIXES);
const PARTS = ['id', 'timestamp', 'signature'] as const;
const SECRET = new RegExp(`^${CREDENTIAL_PREFIX.webhookSecret}([A-Za-z0-9+/]+={0,2})$`);

export function isWebhookSecret(text: string): boolean {
  return secretBytes(text) !== undefined;
}

export function verifyWebhook(delivery: SignedDelivery): SignatureVerdict {
  const { headers } = delivery;
  const partsOf = (one: string) => PARTS.filter((part) => valuesOf(headers, `${one}-${part}`).length > 0);
  const style =
    STYLES.find((one) => partsOf(one).length === PARTS.length) ??
    STYLES.find((one) => partsOf(one).length > 0);
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

function judge(candidate: Candidate): SignatureVerdict {
  const { id, seconds, now, toleranceMs } = candidate;
  const at = Number(seconds) * 1000;
  const about = { webhook_id: id, signed_at: new Date(at).toISOString() };
  if (!matches(candidate)) {
    const message = 'No signature matches this body and the given secret';
    return { ...invalid('no_signature_matches', message, hintOfMismatch(candidate)), ...about };
  }
  const late = Math.floor(now / 1000) * 1000 - at;
  if (Math.abs(late) <= toleranceMs) {
    return { valid: true, reason: null, message: 'The signature is valid', hint: null, ...about };
  }
  const side = late > 0 ? 'before' : 'after';
  const message = `Signed ${Math.round(Math.abs(late) / 1000)} s ${side} the time it is compared with`;
  const hint = 'the signature itself is valid; --at compares with another time, --tolerance allows more';
  return { ...invalid(late > 0 ? 'timestamp_too_old' : 'timestamp_too_new', message, hint), ...about };
}

/** Compares every signature with every secret. The first match counts. */
function matches({ secrets, signed, id, seconds, body }: Candidate): boolean {
  let isMatch = false;
  for (const secret of secrets) {
    const expected = sign(secret, { id, seconds, body });
    for (const signature of signed) if (timingSafeEqual(signature, expected)) isMatch = true;
  }
  return isMatch;
}

/** Editors and shells add a line end to a body, which makes it a different body. */
function hintOfMismatch(candidate: Candidate): string {
  const { body } = candidate;
  const text = Buffer.from(body).toString('latin1');
  const trimmed = text.replace(/\r?\n$/, '');
  if (trimmed !== text && matches({ ...candidate, body: Buffer.from(trimmed, 'latin1') })) {
    return 'without its last line end the body matches: it must be the exact bytes that were received';
  }
  return 'a different secret, or a body that differs from the received bytes';
}

function sign(secret: string, { id, seconds, body }: Pick<Candidate, 'id' | 'seconds' | 'body'>): Buffer {
  const key = secretBytes(secret);
  if (key === undefined) throw new TypeError('not a webhook secret');
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
}

function secretBytes(text: string): Buffer | undefined {
  return canonicalBase64(SECRET.exec(text)?.[1] ?? '');
}

function signatureBytes(text: string): Buffer | undefined {
  // 32 bytes.
  return canonicalBase64(/^v1,([A-Za-z0-9+/]{43}=)$/.exec(text)?.[1] ?? '');
}

function valuesOf(headers: SignedDelivery['headers'], name: string): string[] {
  return headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value.trim());
}

function malformed(message: string): SignatureVerdict {
  return invalid('header_malformed', message);
}

function invalid(reason: InvalidReason, message: string, hint: string | null = null): SignatureVerdict {
  return { valid: false, reason, message, hint, webhook_id: null, signed_at: null };
}

export interface SignedInput {
  /** `--secret`, each: the text, `-`, `?` or `@FILE`. */
  readonly secrets: readonly string[] | undefined;
  /** KYCLONE_WEBHOOK_SECRET, if no secret is given. */
  readonly environmentSecret: string | undefined;
  /** `--header`, each: `name: value`, `@FILE` or `@-`. */
  readonly header: readonly string[] | undefined;
  /** `--headers`: a text, `-` or `@FILE` with one header per line, or a JSON object. */
  readonly headers: string | undefined;
  /** `--body`: a text, `-` or `@FILE`. */
  readonly body: string;
}

/** Throws UsageError, which contains nothing of the input. */
export async function readSigned(given: SignedInput, input: InputSource) {
  const texts = given.secrets ?? (given.environmentSecret === undefined ? [] : [given.environmentSecret]);
  const readers = [...texts, given.headers, given.body].filter((text) => text === '-').length;
  if (readers + (readsStdin(given.header) ? 1 : 0) > 1) {
    throw new UsageError('Only one value can come from stdin', 'the body does unless --body says otherwise');
  }
  requireNoFileName(given.body, '--body');
  return {
    secrets: await readSecrets(texts, input),
    headers: [
      ...(await headerTexts(given.header, input)).map(parseHeader),
      ...(given.headers === undefined ? [] : parseHeaders(await readText(given.headers, input))),
    ],
    body: await readBytes(given.body, input),
  };
}

async function readSecrets(texts: readonly string[], input: InputSource): Promise<string[]> {
  if (texts.length === 0) throw new UsageError('--secret is missing', 'or set KYCLONE_WEBHOOK_SECRET');
  const secrets: string[] = [];
  for (const text of texts) {
    const secret = (await input.secret(text, 'Secret')).trim();
    if (!isWebhookSecret(secret)) {
      throw new UsageError(
        'A secret is whsec_ and base64 (not shown)',
        'kyclone webhooks secret ID prints it',
      );
    }
    secrets.push(secret);
  }
  return secrets;
}

/** Lines of `name: value`, as in a recorded request (a request line may come first), or a JSON object. */
export function parseHeaders(text: string): Header[] {
  if (text.trimStart().startsWith('{')) return jsonHeaders(text);
  return headerLines(text).map(parseHeader);
}

function jsonHeaders(text: string): Header[] {
  const members = jsonOf(text);
  if (!isJsonObject(members)) throw notHeaders();
  return Object.entries(members).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.map((one): Header => {
      if (typeof one !== 'string' && typeof one !== 'number') throw notHeaders();
      return [name, String(one)];
    });
  });
}

function notHeaders(): UsageError {
  return new UsageError('--headers is neither lines of name: value nor a JSON object of texts');
}
