/**
 * Encryption to a public key (contract §3.2). The key is checked when the chain is parsed, before anything is read:
 * right type and curve, no bytes after the DER, usable. Ephemeral keys are new for every value.
 *
 * Elliptic-curve keys are never passed to `createPublicKey`: Node 20 aborts the whole process when it reads the details
 * of a key whose point is the one at infinity.
 */
import { attempt } from '../../kernel/attempt.ts';
import {
  constants,
  createCipheriv,
  createECDH,
  createHash,
  createPublicKey,
  ECDH,
  publicEncrypt,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { MIB } from '../../kernel/numbers/units.ts';
import { blake2b } from '@noble/hashes/blake2';
import nacl from 'tweetnacl';
import { byteSlices, type Slices } from './chain.ts';

/** In slices: the ciphertext, or undefined when the text doesn't fit the key. */
export type Encrypt = (plaintext: Uint8Array) => Slices<Uint8Array | undefined>;

/** Creates the encryption for a public key; undefined when the key doesn't suit the algorithm. */
type KeyReader = (publicKey: Buffer) => Encrypt | undefined;

const ALGORITHMS: ReadonlyMap<string, KeyReader> = new Map([
  ['rsa_pkcs1v15', rsaPkcs1v15],
  ['ecies_p256_x963_sha256_aes_gcm', eciesP256],
  ['x25519_xsalsa20_poly1305', sealedBox],
]);

/** The algorithms of `encrypt`, by their names in the contract. */
export const ENCRYPT_ALGORITHMS: readonly string[] = [...ALGORITHMS.keys()];

/** Encryption by `algorithm` under `publicKey`; undefined when the key doesn't suit that algorithm. */
export function encryptTo(algorithm: string, publicKey: Buffer): Encrypt | undefined {
  return ALGORITHMS.get(algorithm)?.(publicKey);
}

const RSA_LEAST_BITS = 2048;
const RSA_MOST_BITS = 8192;
const RSA_EXPONENT_END = 2n ** 64n;
const RSA_BITS_SQUARED_PER_STEP = 128;
const PKCS1_V15_OVERHEAD_BYTES = 11;
/** The AlgorithmIdentifier rsaEncryption, and its offset in a SubjectPublicKeyInfo of 256 to 65,535 bytes. */
const RSA_ENCRYPTION = Buffer.from('300d06092a864886f70d0101010500', 'hex');
const RSA_ENCRYPTION_OFFSET = 4;
/** The offset of the key itself, in PKCS #1, in such an SPKI. */
const PKCS1_OFFSET = 24;

function rsaPkcs1v15(der: Buffer): Encrypt | undefined {
  const key = readRsaKey(der);
  if (key === undefined) return undefined;
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < RSA_LEAST_BITS || modulusLength > RSA_MOST_BITS) return undefined;
  // The time of an encryption grows with the exponent; no exponent in use is near this limit.
  if (publicExponent < 3n || publicExponent >= RSA_EXPONENT_END || publicExponent % 2n === 0n)
    return undefined;
  const encrypt = (plaintext: Uint8Array): Buffer =>
    publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, plaintext);
  // OpenSSL detects an unusable modulus or exponent, such as an even modulus, only when it uses the key.
  if (attempt(() => encrypt(new Uint8Array(0))) === undefined) return undefined;
  const mostBytes = Math.ceil(modulusLength / 8) - PKCS1_V15_OVERHEAD_BYTES;
  const steps = modulusLength ** 2 / RSA_BITS_SQUARED_PER_STEP;
  return function* (plaintext) {
    if (plaintext.length > mostBytes) return undefined;
    yield steps;
    return encrypt(plaintext);
  };
}

function readRsaKey(der: Buffer): KeyObject | undefined {
  const algorithm = der.subarray(RSA_ENCRYPTION_OFFSET, RSA_ENCRYPTION_OFFSET + RSA_ENCRYPTION.length);
  const type = algorithm.equals(RSA_ENCRYPTION) ? 'spki' : 'pkcs1';
  const key = attempt(() => createPublicKey({ key: der, format: 'der', type }));
  // OpenSSL ignores bytes after the key and accepts a private key for its public part. Neither exports to the same
  // bytes. Node 24 can't export such a key as PKCS #1, so that form is taken from the end of the SPKI.
  const spki = attempt(() => key?.export({ format: 'der', type: 'spki' }));
  return spki?.subarray(type === 'spki' ? 0 : PKCS1_OFFSET).equals(der) === true ? key : undefined;
}

const P256 = 'prime256v1';
const P256_POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;
/** SubjectPublicKeyInfo on the named curve up to the point, which is uncompressed (65 bytes) or compressed (33). */
const P256_SPKI_HEADERS: readonly Buffer[] = [
  Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'),
  Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
];
const DER_HEADER_BYTES = 2;
const AES_128_KEY_BYTES = 16;
const P256_STEPS = 150_000;
const STEPS_PER_ENCRYPTED_BYTE = 2;

function eciesP256(publicKey: Buffer): Encrypt | undefined {
  const recipient = readP256Point(publicKey);
  if (recipient === undefined) return undefined;
  return function* (plaintext) {
    yield P256_STEPS;
    const ephemeral = createECDH(P256);
    const ephemeralPoint = ephemeral.generateKeys();
    const derived = x963Sha256(ephemeral.computeSecret(recipient), ephemeralPoint);
    const key = derived.subarray(0, AES_128_KEY_BYTES);
    const cipher = createCipheriv('aes-128-gcm', key, derived.subarray(AES_128_KEY_BYTES));
    const pieces = [ephemeralPoint];
    for (const piece of byteSlices(plaintext)) {
      yield piece.length * STEPS_PER_ENCRYPTED_BYTE;
      pieces.push(cipher.update(piece));
    }
    return Buffer.concat([...pieces, cipher.final(), cipher.getAuthTag()]);
  };
}

/** The uncompressed point of the key, verified to be on the curve. */
function readP256Point(publicKey: Buffer): Buffer | undefined {
  const isBarePoint = publicKey.length === P256_POINT_BYTES && publicKey[0] === UNCOMPRESSED;
  const point = isBarePoint ? publicKey : pointOfP256Spki(publicKey);
  if (point === undefined) return undefined;
  return attempt(() =>
    Buffer.from(ECDH.convertKey(point, P256, undefined, undefined, 'uncompressed') as Buffer),
  );
}

function pointOfP256Spki(der: Buffer): Buffer | undefined {
  const header = P256_SPKI_HEADERS.find((known) => der.subarray(0, known.length).equals(known));
  if (header === undefined || der[1] !== der.length - DER_HEADER_BYTES) return undefined;
  const point = der.subarray(header.length);
  // OpenSSL would also accept the hybrid forms 06 and 07.
  return (point[0] ?? 0) <= UNCOMPRESSED ? point : undefined;
}

/** X9.63 key derivation of 32 bytes: one block of SHA-256, counter 1. */
function x963Sha256(secret: Uint8Array, sharedInfo: Uint8Array): Buffer {
  return createHash('sha256')
    .update(secret)
    .update(Uint8Array.of(0, 0, 0, 1))
    .update(sharedInfo)
    .digest();
}

const SEALED_BOX_NONCE_BYTES = 24;
/** A box is created without a pause, in some 30 ms for each MiB. */
const SEALED_BOX_LIMIT_BYTES = 4 * MIB;
const CURVE_25519_STEPS = 2_000_000;
const STEPS_PER_BOXED_BYTE = 16;

/** libsodium's `crypto_box_seal`. */
function sealedBox(publicKey: Buffer): Encrypt | undefined {
  if (publicKey.length !== nacl.box.publicKeyLength || isLowOrder(publicKey)) return undefined;
  return function* (plaintext) {
    if (plaintext.length > SEALED_BOX_LIMIT_BYTES) return undefined;
    yield CURVE_25519_STEPS + plaintext.length * STEPS_PER_BOXED_BYTE;
    const ephemeral = nacl.box.keyPair();
    const nonce = blake2b(Buffer.concat([ephemeral.publicKey, publicKey]), { dkLen: SEALED_BOX_NONCE_BYTES });
    const box = nacl.box(plaintext, nonce, publicKey, ephemeral.secretKey);
    return Buffer.concat([ephemeral.publicKey, box]);
  };
}

/** Whether this point gives the same, all-zero secret with every secret key. libsodium refuses such keys, too. */
function isLowOrder(publicKey: Uint8Array): boolean {
  const anySecretKey = new Uint8Array(nacl.scalarMult.scalarLength);
  return nacl.scalarMult(anySecretKey, publicKey).every((byte) => byte === 0);
}
