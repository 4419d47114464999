/**
 * Verifies the identity of a server (contract §3.3, TLS). Without pins the system's verdict counts. With pins, only
 * they count: either the server's own certificate is a pin, for any host name, and is within its dates; or its chain
 * ends at a pinned authority and the host name matches, which the system verifies with no other root.
 */
import type { X509Certificate } from 'node:crypto';
import type { TlsNotes } from './outbound.ts';

export interface ShownCertificates {
  /** In the order that the server sent them, its own first. Never empty. */
  readonly chain: readonly X509Certificate[];
  /** Why the system rejects them; undefined when it accepts them. */
  readonly systemRefusal: string | undefined;
}

export interface CertificateVerdict {
  readonly pinned: TlsNotes['pinned'];
  /** Why nothing may be sent; undefined when it may be. */
  readonly refusal: string | undefined;
}

/** `now`: epoch milliseconds. `host`: for messages. */
export function judgeCertificates(
  { chain, systemRefusal }: ShownCertificates,
  { pins, host, now }: { pins: readonly X509Certificate[]; host: string; now: number },
): CertificateVerdict {
  const [leaf] = chain;
  if (leaf === undefined) return { pinned: null, refusal: `${host} showed no certificate` };
  if (pins.some((pin) => pin.raw.equals(leaf.raw))) {
    return { pinned: 'leaf', refusal: outsideDates(leaf, { now, whose: `The certificate of ${host}` }) };
  }
  if (systemRefusal === undefined) return { pinned: pins.length > 0 ? 'ca' : null, refusal: undefined };
  return { pinned: null, refusal: explain(systemRefusal, { chain, host, now, hasPins: pins.length > 0 }) };
}

/** Pins that can be authorities. Any other pin only matches a server's own certificate. */
export function authoritiesOf(pins: readonly X509Certificate[]): readonly X509Certificate[] {
  return pins.filter((pin) => pin.ca);
}

function explain(
  code: string,
  {
    chain,
    host,
    now,
    hasPins,
  }: Pick<ShownCertificates, 'chain'> & { host: string; now: number; hasPins: boolean },
): string {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${host} is for other names (${code})`;
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${datesOf(chain, { host, now })} (${code})`;
  }
  if (hasPins) return `The certificate of ${host} matches no pinned certificate (${code})`;
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${host} is self-signed (${code}); pin it, or add it to the extra roots`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `The certificate of ${host} comes from no trusted authority (${code}); pin it, or add the authority to the extra roots`;
    case 'INVALID_PURPOSE':
      return `The certificate of ${host} is not one for servers (${code})`;
    default:
      return `The certificate of ${host} was not accepted (${code})`;
  }
}

function datesOf(chain: readonly X509Certificate[], { host, now }: { host: string; now: number }): string {
  const found = chain
    .map((certificate, index) =>
      outsideDates(certificate, {
        now,
        whose: index === 0 ? `The certificate of ${host}` : `A certificate above the one of ${host}`,
      }),
    )
    .find((refusal) => refusal !== undefined);
  return found ?? `A certificate in the chain of ${host} is outside its dates`;
}

/** Undefined when `now` is within the dates. Unreadable dates are a refusal. */
function outsideDates(
  { validFrom, validTo }: X509Certificate,
  { now, whose }: { now: number; whose: string },
): string | undefined {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  if (Number.isNaN(from) || Number.isNaN(to)) return `${whose} has no dates that can be read`;
  if (now > to) return `${whose} expired on ${day(to)}`;
  if (now < from) return `${whose} is not valid before ${day(from)}`;
  return undefined;
}

function day(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
