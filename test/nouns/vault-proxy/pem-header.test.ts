import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, type Authority, type Identity } from '../../../src/cli/echo/authority.ts';
import { headerLines } from '../../../src/nouns/vault-proxy/service/forwarded-headers.ts';
import { readClientIdentity, readPins } from '../../../src/nouns/vault-proxy/service/pem-header.ts';

const CERTIFICATE = 'x-fp-proxy-client-cert';
const KEY = 'x-fp-proxy-client-key';
const PIN = 'x-fp-proxy-pin-cert';
const ENCODING = 'is neither base64 nor percent-encoded PEM';
const MALFORMED = 'holds a malformed percent escape';
const NO_BLOCK = 'holds no PEM block CERTIFICATE';
const NOT_BASE64 = 'holds a PEM block that is not base64';
const UNREADABLE = 'holds a certificate that cannot be read';
const https = new URL('https://h/');
const http = new URL('http://h/');

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const percent = (text: string): string => encodeURIComponent(text);
const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
const derOf = (text: string): Buffer =>
  Buffer.from(text.replaceAll(/-----[^-]*-----/g, '').replaceAll(/\s/g, ''), 'base64');

const refused = (header: string, what: string): Error =>
  expect.objectContaining({ code: 'invalid_request', message: `Header ${header} ${what}` }) as Error;

const withoutCause: Error = expect.not.objectContaining({ cause: expect.anything() as unknown }) as Error;

const pinsOf = (values: readonly string[], url = https): string[] =>
  readPins(headerLines(values.flatMap((value) => [PIN, value])), url).map((pin) => pin.fingerprint256);
const fingerprint = (certificate: string): string => new X509Certificate(certificate).fingerprint256;

const client = (certificate: string | undefined, key: string | undefined, url = https) =>
  readClientIdentity(
    headerLines([
      ...(certificate === undefined ? [] : [CERTIFICATE, certificate]),
      ...(key === undefined ? [] : [KEY, key]),
    ]),
    url,
  );

let root: Authority;
let below: Authority;
let jane: Identity;
let john: Identity;

beforeAll(async () => {
  root = await createAuthority('Root', Date.UTC(2026, 0, 1));
  below = await root.issueAuthority({ subject: 'Below' });
  jane = await below.issue({ subject: 'jane', usage: 'client' });
  john = await below.issue({ subject: 'john', usage: 'client' });
});

describe('readPins', () => {
  test('readPins: none without the header, for any scheme', () => {
    expect(pinsOf([], http)).toEqual([]);
  });

  test('readPins: both encodings, several to a header, to a value and to a line, in order', () => {
    const [a, b, c, d] = [jane, john, below, root].map(({ certificate }) => certificate);
    const values = [`${base64(`${a}\n${b}`)} , ${percent(c ?? '')}`, base64(d ?? '')];
    expect(pinsOf(values)).toEqual([a, b, c, d].map((each) => fingerprint(each ?? '')));
  });

  test.each([
    ['explanations around the block', (text: string) => base64(`subject=CN=x\n${text}\nbye`)],
    ['CRLF', (text: string) => base64(text.replaceAll('\n', '\r\n'))],
    ['blanks for line ends, not encoded at all', (text: string) => text.trim().replaceAll('\n', ' ')],
    ['one line', (text: string) => base64(pem('CERTIFICATE', derOf(text)))],
    ['escapes in lower case', (text: string) => percent(text).replaceAll(/%../g, (e) => e.toLowerCase())],
    ['a block of another kind beside it', (text: string) => base64(`${pem('X', Buffer.of(1))}${text}`)],
  ])('readPins: takes PEM with %s', (_case, encode) => {
    expect(pinsOf([encode(root.certificate)])).toEqual([fingerprint(root.certificate)]);
  });

  test('readPins: https targets only', () => {
    expect(() => pinsOf([base64(root.certificate)], http)).toThrow(refused(PIN, 'is for https targets only'));
  });

  test('readPins: 20 certificates in all', () => {
    const twelve = base64(root.certificate.concat('\n').repeat(12));
    const eight = base64(root.certificate.concat('\n').repeat(8));
    expect(pinsOf([twelve, eight])).toHaveLength(20);
    expect(() => pinsOf([twelve, `${eight},${base64(root.certificate)}`])).toThrow(
      refused(PIN, 'holds more than 20 certificates'),
    );
  });

  test.each([
    ['an empty value', () => '', ENCODING],
    ['an empty element', () => `${base64(root.certificate)},`, ENCODING],
    ['other characters', () => base64(root.certificate).replace('L', '*'), ENCODING],
    ['base64url', () => Buffer.of(0xfb, 0xff).toString('base64url'), ENCODING],
    ['a blank inside', () => base64(root.certificate).replace('L', 'L '), ENCODING],
    ['no padding', () => 'eA', ENCODING],
    ['bits behind the end', () => 'QR==', ENCODING],
    ['base64 of DER', () => derOf(root.certificate).toString('base64'), NO_BLOCK],
    ['an escape of one digit', () => `${percent(root.certificate)}%4`, MALFORMED],
    ['an escape of other digits', () => `${percent(root.certificate)}%zz`, MALFORMED],
    ['percent-encoded base64', () => percent(`${base64(root.certificate)}=`), NO_BLOCK],
    ['a key', () => base64(root.key), NO_BLOCK],
    ['a block that does not end', () => base64(root.certificate.replace(/-----END.*/, '')), NO_BLOCK],
    ['a block that ends as another', () => base64(root.certificate.replace('END C', 'END X')), NO_BLOCK],
    ['a block of no base64', () => base64(root.certificate.replace('MII', 'M*I')), NOT_BASE64],
    ['an empty block', () => base64(pem('CERTIFICATE', Buffer.alloc(0))), NOT_BASE64],
    ['a block of something else', () => base64(pem('CERTIFICATE', Buffer.of(5, 0))), UNREADABLE],
    [
      'a good and a bad one',
      () => base64(root.certificate + pem('CERTIFICATE', Buffer.of(5, 0))),
      UNREADABLE,
    ],
    ['a control character', () => `${base64(root.certificate)}\t`, 'holds a control character'],
  ])('readPins: refuses %s', (_case, value, what) => {
    expect(() => pinsOf([value()])).toThrow(refused(PIN, what));
  });

  test('readPins: many beginnings of blocks that never end are read in one pass', () => {
    const text = '-----BEGIN CERTIFICATE-----'.repeat(50_000);
    expect(() => pinsOf([base64(text)])).toThrow(refused(PIN, NO_BLOCK));
  });
});

describe('readClientIdentity', () => {
  test('readClientIdentity: undefined without both headers, for any scheme', () => {
    expect(client(undefined, undefined, http)).toBeUndefined();
  });

  test('readClientIdentity: both encodings', () => {
    expect(client(base64(jane.certificate), percent(jane.key))).toEqual({
      certificate: new X509Certificate(jane.certificate).toString(),
      key: pem64('PRIVATE KEY', derOf(jane.key)),
    });
    expect(client(percent(jane.certificate), base64(jane.key))).toEqual(
      client(base64(jane.certificate), percent(jane.key)),
    );
  });

  test('readClientIdentity: the leaf comes first, its chain is handed on', () => {
    const chain = [jane, below, root].map(({ certificate }) => certificate);
    expect(client(base64(chain.join('\n')), base64(jane.key))?.certificate).toBe(
      chain.map((each) => new X509Certificate(each).toString()).join(''),
    );
  });

  test('readClientIdentity: nothing but the certificates and the key is handed on', () => {
    const both = base64(`secret\n${jane.key}\n${jane.certificate}\nsecret`);
    expect(client(both, both)).toEqual(client(base64(jane.certificate), base64(jane.key)));
  });

  test.each(['ec', 'rsa'] as const)('readClientIdentity: takes a key of %s in each of its forms', (kind) => {
    const { publicKey, privateKey } = keysOf(kind);
    const certificate = base64(certificateOf(publicKey));
    const forms = [
      privateKey.export({ type: 'pkcs8', format: 'pem' }),
      privateKey.export({ type: kind === 'ec' ? 'sec1' : 'pkcs1', format: 'pem' }),
    ].map(String);
    for (const form of forms) expect(client(certificate, base64(form))?.key).toBe(forms[0]);
  });

  test('readClientIdentity: takes an EC key with its parameters before it', () => {
    const parameters = pem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'));
    expect(client(base64(jane.certificate), base64(parameters + jane.key))).toBeDefined();
  });

  test('readClientIdentity: names the one of the two that is missing', () => {
    expect(() => client(base64(jane.certificate), undefined)).toThrow(
      refused(KEY, `is missing: ${CERTIFICATE} needs it`),
    );
    expect(() => client(undefined, base64(jane.key))).toThrow(
      refused(CERTIFICATE, `is missing: ${KEY} needs it`),
    );
  });

  test('readClientIdentity: https targets only', () => {
    expect(() => client(base64(jane.certificate), base64(jane.key), http)).toThrow(
      refused(CERTIFICATE, 'is for https targets only'),
    );
  });

  test.each([CERTIFICATE, KEY])('readClientIdentity: %s once', (header) => {
    const lines = [CERTIFICATE, base64(jane.certificate), KEY, base64(jane.key), header, 'x'];
    expect(() => readClientIdentity(headerLines(lines), https)).toThrow(
      refused(header, 'is given more than once'),
    );
  });

  test.each([
    ['another certificate', () => john.key],
    ['a later certificate of the chain', () => below.key],
    ['a certificate of another kind', () => pemKey(keysOf('rsa').privateKey)],
  ])('readClientIdentity: refuses the key of %s', (_case, key) => {
    expect(() => client(base64(jane.certificate + '\n' + below.certificate), base64(key()))).toThrow(
      refused(KEY, `does not match the certificate of ${CERTIFICATE}`),
    );
  });

  const encrypted = 'holds an encrypted key; send it decrypted';
  const noKey = 'holds no PEM block of a private key';
  const unreadable = 'holds a private key that cannot be read';
  test.each([
    ['a certificate', () => base64(jane.certificate), noKey],
    ['a public key', () => base64(pem('PUBLIC KEY', Buffer.of(5, 0))), noKey],
    ['an encrypted key', () => base64(encryptedKey('pkcs8')), encrypted],
    ['a key encrypted in the old way', () => base64(encryptedKey('sec1')), encrypted],
    ['two keys', () => base64(`${jane.key}\n${john.key}`), 'holds more than one private key'],
    [
      'a key of another form than it says',
      () => base64(jane.key.replaceAll('PRIVATE', 'RSA PRIVATE')),
      unreadable,
    ],
    ['something else', () => base64(pem('PRIVATE KEY', Buffer.of(5, 0))), unreadable],
    ['a key cut off', () => base64(pem('PRIVATE KEY', derOf(jane.key).subarray(0, -1))), unreadable],
  ])('readClientIdentity: refuses %s for a key', (_case, key, what) => {
    expect(() => client(base64(jane.certificate), key())).toThrow(refused(KEY, what));
  });

  test.each([
    ['no PEM', () => base64('x'), NO_BLOCK],
    ['a broken certificate', () => base64(pem('CERTIFICATE', Buffer.of(5, 0))), UNREADABLE],
  ])('readClientIdentity: refuses %s for a certificate', (_case, certificate, what) => {
    expect(() => client(certificate(), base64(jane.key))).toThrow(refused(CERTIFICATE, what));
  });

  test.each(['x25519', 'weak'] as const)(
    'readClientIdentity: refuses a pair TLS has no use for: %s',
    (kind) => {
      const { publicKey, privateKey } = keysOf(kind);
      expect(() => client(base64(certificateOf(publicKey)), base64(pemKey(privateKey)))).toThrow(
        refused(CERTIFICATE, 'holds a certificate that TLS cannot use'),
      );
    },
  );

  test.each([0, 1])(
    'readClientIdentity: a pair at infinity is refused, and the process survives: %i',
    (scalar) => {
      const certificate = base64(certificateOf(infiniteSpki()));
      expect(() => client(certificate, base64(infiniteKey(scalar)))).toThrow(refused(KEY, unreadable));
      expect(() => client(base64(jane.certificate), base64(infiniteKey(scalar)))).toThrow(
        refused(KEY, unreadable),
      );
      expect(() => client(certificate, base64(jane.key))).toThrow(
        refused(KEY, `does not match the certificate of ${CERTIFICATE}`),
      );
    },
  );
});

test('readPins, readClientIdentity: a refusal keeps no cause, which would hold what OpenSSL saw', () => {
  const broken = base64(pem('CERTIFICATE', Buffer.of(5, 0)));
  const weak = keysOf('weak');
  const refusals = [
    () => pinsOf([broken]),
    () => client(base64(jane.certificate), base64(pem('PRIVATE KEY', Buffer.of(5, 0)))),
    () => client(base64(certificateOf(weak.publicKey)), base64(pemKey(weak.privateKey))),
  ];
  for (const refusal of refusals) expect(refusal).toThrow(withoutCause);
});

function keysOf(kind: 'ec' | 'rsa' | 'weak' | 'x25519'): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === 'ec') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (kind === 'x25519') return generateKeyPairSync('x25519');
  return generateKeyPairSync('rsa', { modulusLength: kind === 'weak' ? 512 : 2048 });
}

function pemKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function encryptedKey(type: 'pkcs8' | 'sec1'): string {
  const { privateKey } = keysOf('ec');
  return privateKey.export({ type, format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
}

/** Breaks lines at 64 characters, as PEM requires. */
function pem64(label: string, der: Buffer): string {
  return pem(label, der)
    .replaceAll(/[A-Za-z0-9+/=]{64}/g, '$&\n')
    .replaceAll('\n\n', '\n');
}

/** Encodes one DER element. */
function element(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), body]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER_1 = Buffer.of(2, 1, 1);
const EC_PUBLIC_KEY = Buffer.from('06072a8648ce3d0201', 'hex');
const P256 = Buffer.from('06082a8648ce3d030107', 'hex');
const ECDSA_SHA256 = element(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
/** The encoding of the point at infinity, as a bit string. */
const INFINITY = Buffer.of(3, 2, 0, 0);

/** Makes a certificate with any public key and no valid signature. */
function certificateOf(key: KeyObject | Buffer): string {
  const spki = Buffer.isBuffer(key) ? key : key.export({ type: 'spki', format: 'der' });
  const commonName = element(SEQUENCE, Buffer.from('0603550403', 'hex'), element(0x0c, Buffer.from('x')));
  const name = element(SEQUENCE, element(SET, commonName));
  const [from, to] = ['260101000000Z', '350101000000Z'].map((time) => element(0x17, Buffer.from(time)));
  const validity = element(SEQUENCE, from ?? Buffer.alloc(0), to ?? Buffer.alloc(0));
  const version3 = element(0xa0, Buffer.of(2, 1, 2));
  const signed = element(SEQUENCE, version3, INTEGER_1, ECDSA_SHA256, name, validity, name, spki);
  const signature = element(3, Buffer.of(0), element(SEQUENCE, INTEGER_1, INTEGER_1));
  return pem('CERTIFICATE', element(SEQUENCE, signed, ECDSA_SHA256, signature));
}

function infiniteSpki(): Buffer {
  return element(SEQUENCE, element(SEQUENCE, EC_PUBLIC_KEY, P256), INFINITY);
}

function infiniteKey(scalar: number): string {
  const secret = Buffer.alloc(32);
  secret[31] = scalar;
  const own = element(SEQUENCE, INTEGER_1, element(4, secret), element(0xa1, INFINITY));
  const algorithm = element(SEQUENCE, EC_PUBLIC_KEY, P256);
  return pem('PRIVATE KEY', element(SEQUENCE, Buffer.of(2, 1, 0), algorithm, element(4, own)));
}
