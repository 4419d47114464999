/** Servers with many kinds of certificates, and calls to them by name. */
import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import { expect } from 'vitest';
import { createAuthority, type Authority, type Identity } from '../../src/cli/echo/authority.ts';
import { DAY_MS } from '../../src/kernel/numbers/units.ts';
import type { Outbound, TargetAnswer, TlsChoices } from '../../src/outbound/outbound.ts';
import { startRawTarget, startTarget, type TlsIdentity } from '../support/targets.ts';
import { call, failureOf, resolvingTo } from './an-outbound.ts';

export const NAME = 'name.test';
export const LONG_AGO = new Date('2020-01-01T00:00:00Z');
export const FAR_AHEAD = new Date('2090-01-01T00:00:00Z');

const NAMED = { subject: 'server', names: [NAME], usage: 'server' } as const;

export const root = await createAuthority('test root', Date.now());
export const intermediate = await root.issueAuthority({ subject: 'test intermediate' });
export const stranger = await createAuthority('stranger', Date.now());
export const server = await root.issue({ subject: 'server', names: [NAME, '127.0.0.1'], usage: 'server' });
/** A certificate that the intermediate issued. The server sends the intermediate with it. */
export const lowServer = await under(intermediate);
export const caller = await root.issue({ subject: 'caller', usage: 'client' });
export const selfSigned = await aSelfSigned();
const onlyIn2020 = { notBefore: LONG_AGO, notAfter: new Date('2021-01-01T00:00:00Z') };
export const expired = await root.issue({ ...NAMED, ...onlyIn2020 });
export const notYetValid = await root.issue({
  ...NAMED,
  notBefore: FAR_AHEAD,
  notAfter: new Date(FAR_AHEAD.getTime() + DAY_MS),
});
export const expiredAuthority = await root.issueAuthority({ subject: 'old', ...onlyIn2020 });
/** A valid certificate that the expired authority issued. */
export const underExpired = await under(expiredAuthority);

async function under(authority: Authority): Promise<Identity> {
  const { certificate, key } = await authority.issue({ ...NAMED, subject: 'low server' });
  return { certificate: `${certificate}\n${authority.certificate}`, key };
}

/** Makes a self-signed certificate of a server. */
async function aSelfSigned(): Promise<Identity> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=self-signed',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: NAME }])],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}

interface Ask {
  readonly host?: string;
  readonly tls?: Partial<TlsChoices>;
  readonly pins?: readonly Identity[];
  readonly realNow?: () => number;
  readonly outbound?: Outbound;
}

/** Sends one call by name to a TLS server on this port of loopback. */
export async function askPort(
  port: number,
  { host = NAME, tls, pins = [], realNow, outbound }: Ask,
): Promise<TargetAnswer> {
  return await call({
    url: `https://${host}:${port}/`,
    body: Buffer.from('the body'),
    tls: { extraRoots: [], pins: pins.map(({ certificate }) => new X509Certificate(certificate)), ...tls },
    context: { resolve: resolvingTo('127.0.0.1'), ...(realNow && { realNow }) },
    ...(outbound && { outbound }),
  });
}

export async function ask(identity: TlsIdentity, request: Ask = {}): Promise<TargetAnswer> {
  await using target = await startTarget({ tls: identity });
  return await askPort(target.port, request);
}

/** Returns the reason for refusing a server. Checks that the server received no bytes. */
export async function refusal(identity: TlsIdentity, request: Ask = {}): Promise<string> {
  await using target = await startRawTarget({
    tls: identity,
    after: 'first byte',
    answer: 'HTTP/1.1 204 None\r\n\r\n',
  });
  const failure = await failureOf(askPort(target.port, request));
  expect(failure).toMatchObject({
    kind: 'unreachable',
    connection: { address: '127.0.0.1', tls: { pinned: null } },
  });
  // When the connection is closed, all bytes have arrived.
  while (target.open > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(Buffer.concat(target.received)).toHaveLength(0);
  return failure.message;
}
