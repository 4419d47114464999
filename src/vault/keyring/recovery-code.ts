/**
 * A recovery code is a slot's secret on paper: `KYRC-` and nine groups of four, e.g. `KYRC-8Q3V-…`. 32 characters carry
 * 160 random bits, the last four a 20-bit checksum, which distinguishes a misread or swapped character from a code of
 * another vault. The alphabet is Crockford's base 32: no I, L, O or U. Letter case, spaces and hyphens are ignored, and
 * I, L and O are read as the digits that they resemble.
 */
import { createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { secretBytes } from '../../kernel/ids/random.ts';
import { KEY_BYTES } from '../envelope.ts';

const PREFIX = 'KYRC';
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const SECRET_BYTES = 20;
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 4;
const GROUP_CHARACTERS = 4;

export function newRecoveryCode(): { code: string; secret: Uint8Array } {
  const printed = secretBytes(SECRET_BYTES);
  return { code: formatRecoveryCode(printed), secret: slotSecret(printed) };
}

/** Formats these 20 bytes as a code. */
export function formatRecoveryCode(printed: Uint8Array): string {
  const characters = encode(printed) + checksum(printed);
  const groups = [PREFIX];
  for (let start = 0; start < characters.length; start += GROUP_CHARACTERS) {
    groups.push(characters.slice(start, start + GROUP_CHARACTERS));
  }
  return groups.join('-');
}

/** Whether `text` is meant as a recovery code, even if malformed. */
export function looksLikeRecoveryCode(text: string): boolean {
  return /^\s*KYRC(?:[\s-]|(?:[\s-]*[0-9A-Z]){32})/i.test(text);
}

/** The secret of the code's slot. Throws `vault_key_invalid` when a character is missing, wrong or swapped. */
export function parseRecoveryCode(text: string): Uint8Array {
  const characters = text
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .slice(PREFIX.length)
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  if (!looksLikeRecoveryCode(text) || characters.length !== SECRET_CHARACTERS + CHECKSUM_CHARACTERS) {
    throw invalid('it needs nine groups of four after KYRC');
  }
  const printed = decode(characters.slice(0, SECRET_CHARACTERS));
  // Latin-1 keeps one byte for each character, as the comparison requires.
  const given = Buffer.from(characters.slice(SECRET_CHARACTERS), 'latin1');
  if (!printed || !timingSafeEqual(given, Buffer.from(checksum(printed)))) {
    throw invalid('a character is wrong or two are swapped');
  }
  return slotSecret(printed);
}

function invalid(reason: string): ServiceError {
  return new ServiceError('vault_key_invalid', `The recovery code has a typing error: ${reason}`);
}

/** HKDF (RFC 5869) to the common length of slot secrets. Zeroes `printed`. */
function slotSecret(printed: Uint8Array): Uint8Array {
  const secret = new Uint8Array(hkdfSync('sha256', printed, '', 'kyclone recovery slot', KEY_BYTES));
  printed.fill(0);
  return secret;
}

function checksum(printed: Uint8Array): string {
  const digest = createHash('sha256').update('kyclone recovery code\0').update(printed).digest();
  return encode(digest.subarray(0, 5)).slice(0, CHECKSUM_CHARACTERS);
}

/** Base 32, five bits per character; the length is a multiple of five bytes. */
function encode(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET.charAt((held >> (bits - 5)) & 31);
    held &= 255;
  }
  return text;
}

function decode(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array((text.length * 5) / 8);
  let bits = 0;
  let held = 0;
  let filled = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    held = ((held << 5) | digit) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[filled++] = (held >> bits) & 255;
    }
  }
  return bytes;
}
