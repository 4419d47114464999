/**
 * Certificates and keys in headers (contract §3.3): base64 of PEM, or percent-encoded PEM. They are parsed and
 * serialised again before use. No refusal contains anything from the header or OpenSSL's error as its cause.
 *
 * `asymmetricKeyDetails` and JWK are never read from a key: Node 20 aborts the whole process when the point of an
 * elliptic-curve key is the one at infinity. The export below refuses such keys, and `checkPrivateKey` can handle them.
 */
import { attempt } from '../../../kernel/attempt.ts';
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { canonicalBase64 } from '../../../kernel/text/text.ts';
import { PROXY_HEADERS } from '../../requests/facts.ts';
import { headerRefusal, singleText, texts, type HeaderLines } from './forwarded-headers.ts';

const { clientCertificate: CERTIFICATE_HEADER, clientKey: KEY_HEADER, pins: PIN_HEADER } = PROXY_HEADERS;

const MAX_PINS = 20;

/** The client's certificate with its chain, leaf first, and its key, as PEM. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Certificates of all `x-fp-proxy-pin-cert` headers, in order. Each may contain several, and several encodings
 * separated by commas.
 */
export function readPins(lines: HeaderLines, url: URL): X509Certificate[] {
  const values = texts(lines, PIN_HEADER);
  if (values.length > 0) requireTls(PIN_HEADER, url);
  const pins = values.flatMap((value) =>
    value.split(',').flatMap((encoded) => readCertificates(PIN_HEADER, encoded.trim())),
  );
  if (pins.length > MAX_PINS) throw headerRefusal(PIN_HEADER, `holds more than ${MAX_PINS} certificates`);
  return pins;
}

/** Certificate and key, which match and are usable; undefined when neither is given. */
export function readClientIdentity(lines: HeaderLines, url: URL): ClientIdentity | undefined {
  const encodedCertificate = singleText(lines, CERTIFICATE_HEADER);
  const encodedKey = singleText(lines, KEY_HEADER);
  if (encodedCertificate === undefined && encodedKey === undefined) return undefined;
  if (encodedCertificate === undefined) {
    throw headerRefusal(CERTIFICATE_HEADER, `is missing: ${KEY_HEADER} needs it`);
  }
  if (encodedKey === undefined) {
    throw headerRefusal(KEY_HEADER, `is missing: ${CERTIFICATE_HEADER} needs it`);
  }
  requireTls(CERTIFICATE_HEADER, url);
  const chain = readCertificates(CERTIFICATE_HEADER, encodedCertificate);
  const { key, pem } = readKey(encodedKey);
  if (chain[0]?.checkPrivateKey(key) !== true) {
    throw headerRefusal(KEY_HEADER, `does not match the certificate of ${CERTIFICATE_HEADER}`);
  }
  const identity = { certificate: chain.map((each) => each.toString()).join(''), key: pem };
  requireUsable(identity);
  return identity;
}

function requireTls(header: string, url: URL): void {
  if (url.protocol !== 'https:') throw headerRefusal(header, 'is for https targets only');
}

/** Throws unless TLS accepts the kind and size of the certificate. Loads no root certificates. */
function requireUsable({ certificate, key }: ClientIdentity): void {
  if (attempt(() => createSecureContext({ cert: certificate, key, ca: [] })) === undefined) {
    throw headerRefusal(CERTIFICATE_HEADER, 'holds a certificate that TLS cannot use');
  }
}

function readCertificates(header: string, encoded: string): X509Certificate[] {
  const blocks = pemBlocks(header, decode(header, encoded)).filter(({ label }) => label === 'CERTIFICATE');
  if (blocks.length === 0) throw headerRefusal(header, 'holds no PEM block CERTIFICATE');
  return blocks.map(({ der }) => {
    const certificate = attempt(() => new X509Certificate(der));
    if (certificate === undefined) throw headerRefusal(header, 'holds a certificate that cannot be read');
    return certificate;
  });
}

const KEY_TYPES: ReadonlyMap<string, 'pkcs8' | 'sec1' | 'pkcs1'> = new Map([
  ['PRIVATE KEY', 'pkcs8'],
  ['EC PRIVATE KEY', 'sec1'],
  ['RSA PRIVATE KEY', 'pkcs1'],
]);
/** An RSA key of 8,192 bits has 4.7 KiB; signing with one of 32,768 bits would block the daemon. */
const MAX_KEY_BYTES = 5_120;
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: *4, *ENCRYPTED/;

function readKey(encoded: string): { key: KeyObject; pem: string } {
  const text = decode(KEY_HEADER, encoded);
  if (ENCRYPTED_KEY.test(text)) throw headerRefusal(KEY_HEADER, 'holds an encrypted key; send it decrypted');
  const [block, ...others] = pemBlocks(KEY_HEADER, text).filter(({ label }) => KEY_TYPES.has(label));
  if (block === undefined) throw headerRefusal(KEY_HEADER, 'holds no PEM block of a private key');
  if (others.length > 0) throw headerRefusal(KEY_HEADER, 'holds more than one private key');
  if (block.der.length > MAX_KEY_BYTES) {
    throw headerRefusal(KEY_HEADER, 'holds a private key of more than 8192 bits');
  }
  const read = attempt(() => {
    const key = createPrivateKey({
      key: block.der,
      format: 'der',
      type: KEY_TYPES.get(block.label) ?? 'pkcs8',
    });
    return { key, pem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  });
  // OpenSSL in Node 24 accepts either algorithm under the label of the other.
  const isAsNamed = !block.label.startsWith(`${read?.key.asymmetricKeyType === 'ec' ? 'RSA' : 'EC'} `);
  if (read === undefined || !isAsNamed) {
    throw headerRefusal(KEY_HEADER, 'holds a private key that cannot be read');
  }
  return read;
}

const MALFORMED_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

/** The PEM text of a header, with its bytes as latin1. */
function decode(header: string, encoded: string): string {
  if (encoded.includes('%') || encoded.includes('-----BEGIN')) {
    if (MALFORMED_ESCAPE.test(encoded)) throw headerRefusal(header, 'holds a malformed percent escape');
    return encoded.replaceAll(ESCAPE, (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
  }
  const bytes = canonicalBase64(encoded);
  if (bytes === undefined) throw headerRefusal(header, 'is neither base64 nor percent-encoded PEM');
  return bytes.toString('latin1');
}

/** The content of a block can't contain the first character of its end, so the search is linear. */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;

function pemBlocks(header: string, text: string): { label: string; der: Buffer }[] {
  return [...text.matchAll(BLOCK)].map(([, label = '', content = '']) => {
    const der = canonicalBase64(content.replaceAll(/\s/g, ''));
    if (der === undefined) throw headerRefusal(header, 'holds a PEM block that is not base64');
    return { label, der };
  });
}
