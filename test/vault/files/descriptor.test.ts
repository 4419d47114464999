import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFile, encodeFile, StoredFile } from '../../../src/vault/files/index.ts';

const FILE = new StoredFile({
  blob: '00112233445566778899aabbccddeeff',
  key: Uint8Array.from({ length: 32 }, (_, index) => index),
  contentType: 'image/png',
  bytes: 9,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
});
const KEY = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const MEMBERS = { blob: FILE.blob, key: KEY, contentType: 'image/png', bytes: 9, sha256: FILE.sha256 };
const TEXT = JSON.stringify(MEMBERS);

const damaged = expect.objectContaining({ code: 'vault_damaged' }) as Error;

test('encodeFile: compact JSON with the key in base64', () => {
  expect(Buffer.from(encodeFile(FILE)).toString()).toBe(TEXT);
});

test('encodeFile, decodeFile: any file comes back', () => {
  const hex = (length: number) =>
    fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
  const aFile = fc.record({
    blob: hex(16),
    key: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    // The text may contain halves of surrogate pairs.
    contentType: fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
    bytes: fc.maxSafeNat(),
    sha256: hex(32),
  });
  fc.assert(
    fc.property(aFile, (members) => {
      const file = decodeFile(encodeFile(new StoredFile(members)));
      expect(file).toBeInstanceOf(StoredFile);
      expect(file).toEqual(new StoredFile(members));
    }),
  );
});

test('decodeFile: takes bytes that are a slice of a larger buffer', () => {
  const around = Buffer.concat([Buffer.from('xx'), encodeFile(FILE), Buffer.from('yy')]);
  expect(decodeFile(around.subarray(2, around.length - 2))).toEqual(FILE);
});

test.each([
  ['nothing', ''],
  ['no JSON', TEXT.slice(0, -1)],
  ['no object', '"text"'],
  ['null', 'null'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['a byte behind it', `${TEXT} `],
  ['a blank in it', TEXT.replace(':', ': ')],
  ['a member too many', TEXT.replace('}', ',"more":1}')],
  ['a member twice', TEXT.replace('}', ',"bytes":9}')],
  ['another order', JSON.stringify(Object.fromEntries(Object.entries(MEMBERS).reverse()))],
  ['a name that is a path', JSON.stringify({ ...MEMBERS, blob: '../../../../../../etc/passwd' })],
  ['a name that is too short', JSON.stringify({ ...MEMBERS, blob: FILE.blob.slice(1) })],
  ['a name in upper case', JSON.stringify({ ...MEMBERS, blob: FILE.blob.toUpperCase() })],
  ['a name that is no text', JSON.stringify({ ...MEMBERS, blob: 1 })],
  ['a short key', JSON.stringify({ ...MEMBERS, key: 'AAEC' })],
  ['a key without its padding', JSON.stringify({ ...MEMBERS, key: KEY.slice(0, -1) })],
  ['a key with stray bits', JSON.stringify({ ...MEMBERS, key: KEY.replace('8=', '9=') })],
  ['a key that is no text', JSON.stringify({ ...MEMBERS, key: null })],
  ['a content type that is no text', JSON.stringify({ ...MEMBERS, contentType: 1 })],
  ['a length below zero', JSON.stringify({ ...MEMBERS, bytes: -1 })],
  ['a length that is no whole number', JSON.stringify({ ...MEMBERS, bytes: 1.5 })],
  ['a length that is text', JSON.stringify({ ...MEMBERS, bytes: '9' })],
  ['a length beyond what is exact', JSON.stringify({ ...MEMBERS, bytes: 2 ** 53 })],
  ['a digest in upper case', JSON.stringify({ ...MEMBERS, sha256: FILE.sha256.toUpperCase() })],
  ['a digest that is too short', JSON.stringify({ ...MEMBERS, sha256: FILE.sha256.slice(2) })],
  ['no digest', TEXT.replace(/,"sha256".*/, '}')],
])('decodeFile: refuses %s', (_, text) => {
  expect(() => decodeFile(Buffer.from(text))).toThrow(damaged);
});

test('decodeFile: refuses bytes that are no UTF-8', () => {
  const bytes = Buffer.from(TEXT);
  bytes[bytes.indexOf('png')] = 0xff;
  expect(() => decodeFile(bytes)).toThrow(damaged);
});

test('decodeFile: neither the error nor its cause quotes what it read', () => {
  for (const text of [`${TEXT}x`, KEY, JSON.stringify({ ...MEMBERS, bytes: -1 })]) {
    let error: unknown;
    try {
      decodeFile(Buffer.from(text));
    } catch (reason) {
      error = reason;
    }
    expect(error).toEqual(damaged);
    expect(String(error)).not.toContain(KEY.slice(0, 6));
    expect((error as Error).cause).toBeUndefined();
  }
});
