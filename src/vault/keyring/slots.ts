/**
 * A slot is the vault key sealed for one holder: the slot's secret opens the vault. The wrapping key is derived from
 * the secret, the kind and the slot's id. So a box that is moved to another slot doesn't open, and one key file or
 * passphrase may serve several vaults.
 *
 * Keys and codes of 128 bits and more are used directly. A passphrase is stretched with scrypt; the slot stores the
 * parameters, so that they can be raised later.
 */
import { scrypt } from 'node:crypto';
import { ServiceError } from '../../kernel/errors.ts';
import { createRandomness, secretBytes } from '../../kernel/ids/random.ts';
import { isWellFormedText } from '../../kernel/text/text.ts';
import { MIB } from '../../kernel/numbers/units.ts';
import { derivedKey, KEY_BYTES, open, seal, unlessDamaged } from '../envelope.ts';
import type { SlotKind, SlotRecord } from './repository.ts';

/** For new slots: OWASP's recommendation for scrypt, 128 MiB. A slot with a lower cost uses its own parameters. */
const SCRYPT = { n: 2 ** 17, r: 8, p: 1 };
const SALT_BYTES = 16;
/** Above any cost that we would store: a slot row with a higher one was tampered with. */
const SCRYPT_LIMIT_BYTES = 512 * MIB;
const SLOT_ID_CHARACTERS = 22;
const PASSPHRASE_MIN_CHARACTERS = 8;

export interface KeychainParameters {
  service: string;
  account: string;
}
export interface KeyFileParameters {
  path: string;
}
export interface PassphraseParameters {
  kdf: 'scrypt';
  n: number;
  r: number;
  p: number;
  salt: string;
}

/** The input for a new slot. Sealing the slot overwrites `secret`. */
export interface SlotSource {
  kind: SlotKind;
  parameters: KeychainParameters | KeyFileParameters | PassphraseParameters | Record<string, never>;
  secret: Uint8Array;
}

/** Creates a slot for the holder of `source.secret`, which it zeroes. */
export function sealSlot(source: SlotSource, vaultKey: Uint8Array, now: number): SlotRecord {
  const id = `slot_${createRandomness().secretText(SLOT_ID_CHARACTERS)}`;
  const { kind, parameters, secret } = source;
  const sealed_vault_key = seal(wrappingKey(secret, kind, id), vaultKey);
  secret.fill(0);
  return {
    id,
    kind,
    parameters: JSON.stringify(parameters),
    sealed_vault_key,
    created_at: now,
    last_used_at: null,
  };
}

/** The vault key; undefined when `secret` isn't this slot's. Zeroes `secret`. */
export function openSlot(slot: SlotRecord, secret: Uint8Array): Uint8Array | undefined {
  const key = wrappingKey(secret, slot.kind, slot.id);
  secret.fill(0);
  return unlessDamaged(() => open(key, slot.sealed_vault_key));
}

function wrappingKey(secret: Uint8Array, kind: SlotKind, id: string): Uint8Array {
  return derivedKey(secret, 'vault key', kind, id);
}

/**
 * The source of a new passphrase slot. Throws `vault_key_invalid` when the passphrase is shorter than 8 characters or is
 * not well-formed Unicode: each unpaired surrogate would count as the same character.
 */
export async function passphraseSource(passphrase: string): Promise<SlotSource> {
  if (passphrase.length < PASSPHRASE_MIN_CHARACTERS) {
    throw new ServiceError(
      'vault_key_invalid',
      `A vault passphrase needs at least ${PASSPHRASE_MIN_CHARACTERS} characters`,
    );
  }
  if (!isWellFormedText(passphrase)) {
    throw new ServiceError('vault_key_invalid', 'A vault passphrase must not hold an unpaired surrogate');
  }
  const salt = Buffer.from(secretBytes(SALT_BYTES)).toString('hex');
  const parameters: PassphraseParameters = { kdf: 'scrypt', ...SCRYPT, salt };
  return { kind: 'passphrase', parameters, secret: await stretch(passphrase, parameters) };
}

/** The secret of an existing passphrase slot. Throws `vault_damaged` when its stored parameters are invalid. */
export function passphraseSecret(slot: SlotRecord, passphrase: string): Promise<Uint8Array> {
  return stretch(passphrase, parsePassphraseParameters(slot));
}

/** Applies NFKC first, so that the same passphrase from another keyboard or system gives the same key. */
function stretch(passphrase: string, { n, r, p, salt }: PassphraseParameters): Promise<Uint8Array> {
  const cost = { N: n, r, p, maxmem: 2 * scryptBytes(n, r) };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES, cost, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function scryptBytes(n: number, r: number): number {
  return 128 * n * r;
}

function parsePassphraseParameters(slot: SlotRecord): PassphraseParameters {
  const { kdf, n, r, p, salt } = JSON.parse(slot.parameters) as Partial<PassphraseParameters>;
  const isValid =
    kdf === 'scrypt' &&
    [n, r, p].every((cost) => Number.isSafeInteger(cost) && Number(cost) > 0) &&
    Number.isInteger(Math.log2(Number(n))) &&
    scryptBytes(Number(n), Number(r)) <= SCRYPT_LIMIT_BYTES &&
    Number(p) <= 16 &&
    /^[0-9a-f]{32}$/.test(String(salt));
  if (!isValid) throw new ServiceError('vault_damaged', `The parameters of key slot ${slot.id} are damaged`);
  return { kdf, n: Number(n), r: Number(r), p: Number(p), salt: String(salt) };
}

export function keychainParameters(slot: SlotRecord): KeychainParameters {
  return JSON.parse(slot.parameters) as KeychainParameters;
}

export function keyFileParameters(slot: SlotRecord): KeyFileParameters {
  return JSON.parse(slot.parameters) as KeyFileParameters;
}
