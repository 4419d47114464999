/**
 * A certificate authority that exists only as long as its process. It creates its keys at the start and never writes
 * them. For servers on loopback and for tests; its keys protect nothing of the vault.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';
import { DAY_MS } from '../../kernel/numbers/units.ts';

/** A certificate with its key, as PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** Becomes the common name. */
  readonly subject: string;
  /** DNS names and IP addresses it is valid for. */
  readonly names?: readonly string[];
  readonly usage: 'server' | 'client' | 'authority';
  /** Default: from a day ago to a week from now. */
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface Authority extends Identity {
  issue(request: CertificateRequest): Promise<Identity>;
  /** Creates an authority below this one. */
  issueAuthority(request: Omit<CertificateRequest, 'usage'>): Promise<Authority>;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFETIME_DAYS = 7;
const SERIAL_BYTES = 16;
const AUTHORITY_KEY_USAGE = (KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign) as KeyUsageFlags;

type KeyPair = Awaited<ReturnType<typeof newKeys>>;

interface Issuer {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyPair['privateKey'];
}

/** Creates a new root. `now`: epoch milliseconds. */
export async function createAuthority(subject: string, now: number): Promise<Authority> {
  const keys = await newKeys();
  return authorityOf(await certify({ subject, usage: 'authority' }, { keys, now }), keys, now);
}

async function authorityOf(certificate: X509Certificate, keys: KeyPair, now: number): Promise<Authority> {
  const issuer = { certificate, privateKey: keys.privateKey };
  return {
    ...(await identityOf(certificate, keys)),
    async issue(request) {
      const own = await newKeys();
      return identityOf(await certify(request, { keys: own, now, issuer }), own);
    },
    async issueAuthority(request) {
      const own = await newKeys();
      return authorityOf(
        await certify({ ...request, usage: 'authority' }, { keys: own, now, issuer }),
        own,
        now,
      );
    },
  };
}

async function certify(
  { subject, names = [], usage, notBefore, notAfter }: CertificateRequest,
  { keys, now, issuer }: { keys: KeyPair; now: number; issuer?: Issuer },
): Promise<X509Certificate> {
  const isAuthority = usage === 'authority';
  const distinguished = [{ CN: [subject] }];
  return X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: distinguished,
    issuer: issuer ? issuer.certificate.subjectName.toJSON() : distinguished,
    notBefore: notBefore ?? new Date(now - DAY_MS),
    notAfter: notAfter ?? new Date(now + LIFETIME_DAYS * DAY_MS),
    publicKey: keys.publicKey,
    signingKey: issuer?.privateKey ?? keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(isAuthority, undefined, true),
      new KeyUsagesExtension(isAuthority ? AUTHORITY_KEY_USAGE : KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer?.certificate.publicKey ?? keys.publicKey),
      ...(isAuthority
        ? []
        : [
            new ExtendedKeyUsageExtension([
              ExtendedKeyUsage[usage === 'server' ? 'serverAuth' : 'clientAuth'],
            ]),
          ]),
      ...(names.length === 0
        ? []
        : [new SubjectAlternativeNameExtension(names.map((value) => ({ type: nameType(value), value })))]),
    ],
  });
}

function nameType(name: string): 'ip' | 'dns' {
  return /^[\d.]+$|:/.test(name) ? 'ip' : 'dns';
}

/** Positive and unique. */
function serialNumber(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = (bytes.readUInt8(0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

async function newKeys() {
  return await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function identityOf(certificate: X509Certificate, keys: KeyPair): Promise<Identity> {
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}
