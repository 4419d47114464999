/**
 * The seal at the end of a snapshot file: an HMAC-SHA256 over the whole file. Its key is sealed in the file for the
 * vault that made it and, in an exported file, for the snapshot key. Both boxes are covered by the HMAC, too, so no
 * byte of the file can be changed.
 */
import { timingSafeEqual } from 'node:crypto';
import { secretBytes } from '../../kernel/ids/random.ts';
import { derivedKey, KEY_BYTES, seal, hmac } from '../envelope.ts';
import { openOrNothing } from './root-keys.ts';

const MAGIC = Buffer.from('kyclone seal 1\n\0', 'latin1');
const LENGTH_BYTES = 8;
const BOX_BYTES = 2 + 24 + 16 + KEY_BYTES;
const MAC_BYTES = 32;
const VAULT_BOX = MAGIC.length + LENGTH_BYTES;
const CARRIED_BOX = VAULT_BOX + BOX_BYTES;
const MAC = CARRIED_BOX + BOX_BYTES;

/** The length of every seal. */
export const FILE_SEAL_BYTES = MAC + MAC_BYTES;

/** The file before its seal. */
export interface FileBody {
  readonly bytes: number;
  /** SHA-256. */
  readonly digest: Uint8Array;
}

/** The vault that made it, or a snapshot key. */
export type SealHolder = 'vault' | 'snapshot key';

export function makeFileSeal(
  { bytes, digest }: FileBody,
  keys: { readonly vault: Uint8Array; readonly snapshot?: Uint8Array | undefined },
): Buffer {
  const key = secretBytes(KEY_BYTES);
  const made = Buffer.alloc(FILE_SEAL_BYTES);
  MAGIC.copy(made);
  made.writeBigUInt64BE(BigInt(bytes), MAGIC.length);
  made.set(seal(wrap(keys.vault, 'vault'), key), VAULT_BOX);
  if (keys.snapshot) made.set(seal(wrap(keys.snapshot, 'snapshot key'), key), CARRIED_BOX);
  macOf(key, made, digest).copy(made, MAC);
  key.fill(0);
  return made;
}

/**
 * The number of bytes before the seal; undefined when `trailer`, the last bytes of a file of this size, is not a seal
 * of it.
 */
export function sealedBytes(trailer: Uint8Array, fileBytes: number): number | undefined {
  const bytes = Buffer.from(trailer);
  if (bytes.length !== FILE_SEAL_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const body = fileBytes - FILE_SEAL_BYTES;
  return bytes.readBigUInt64BE(MAGIC.length) === BigInt(body) ? body : undefined;
}

/** Undefined when `key` doesn't open it. */
export function isFileAuthentic(
  trailer: Uint8Array,
  { digest }: FileBody,
  { key, holder }: { readonly key: Uint8Array; readonly holder: SealHolder },
): boolean | undefined {
  const start = holder === 'vault' ? VAULT_BOX : CARRIED_BOX;
  const opened = openOrNothing(wrap(key, holder), trailer.subarray(start, start + BOX_BYTES));
  if (opened?.length !== KEY_BYTES) return undefined;
  const isAuthentic = timingSafeEqual(macOf(opened, trailer, digest), trailer.subarray(MAC));
  opened.fill(0);
  return isAuthentic;
}

function macOf(key: Uint8Array, trailer: Uint8Array, digest: Uint8Array): Buffer {
  return hmac(
    key,
    `${Buffer.from(trailer.subarray(0, MAC)).toString('hex')} ${Buffer.from(digest).toString('hex')}`,
  );
}

function wrap(key: Uint8Array, holder: SealHolder): Uint8Array {
  return derivedKey(key, 'snapshot file', holder);
}
