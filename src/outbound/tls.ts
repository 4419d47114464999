/**
 * Establishes TLS over an open connection and verifies the server. The connection is handed on only afterwards, so that
 * no byte of a request reaches an unverified server, whatever the environment sets for certificate checks.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { OutboundFailure, type TlsChoices, type TlsNotes } from './outbound.ts';
import { beforeDeadline, codeOf, inWords } from './failures.ts';

// Reads from a URL where to connect.

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** The host in the form that sockets take: an IPv6 address without its brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port);
}

/** `host:port`, for messages. */
export function nameOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** The most certificates that are read from a server. */
const CHAIN_LIMIT = 10;

/** Throws OutboundFailure `unreachable` when the handshake fails, or `timeout`. */
export async function tlsHandshake(open: Socket, { url, choices, context, now, signal }: HandshakeOptions) {
  const host = bareHost(url);
  const socket = connect({
    socket: open,
    secureContext: context,
    // For the check of the name; nothing is resolved, since the socket exists already.
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // The verdict is checked below, before anything is written. The notes can then list the certificates, and any
    // authority may have signed a pinned certificate.
    rejectUnauthorized: false,
  });
  try {
    await beforeDeadline(handshakeDone(socket, url, choices), {
      signal,
      what: `${nameOf(url)} did not finish the TLS handshake`,
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const chain = shownChain(socket);
  const verdict = judgeCertificates(
    { chain, host: url.hostname, now },
    { pins: choices.pins, systemRefusal: systemRefusal(socket) },
  );
  return {
    socket,
    notes: {
      version: socket.getProtocol(),
      pinned: verdict.refusal === undefined ? verdict.pinned : null,
      chain: chain.map(({ subject }) => subject.replaceAll('\n', ', ')),
    } satisfies TlsNotes,
    /** Why nothing may be sent; undefined when it may be. */
    refusal: verdict.refusal,
  };
}

export interface HandshakeOptions {
  readonly url: URL;
  readonly choices: TlsChoices;
  readonly context: SecureContext;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
}

function handshakeDone(socket: TLSSocket, url: URL, choices: TlsChoices): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      const showsCertificate = choices.client !== undefined;
      const message = tlsFailure(cause, { target: nameOf(url), showsCertificate });
      reject(new OutboundFailure('unreachable', message, { cause }));
    };
    socket.once('secureConnect', resolve);
    // Stays for the life of the socket: an unhandled error event would end the process.
    socket.on('error', fail);
    socket.once('close', () => fail());
  });
}

/** Sessions are never resumed: a resumed one would not be verified. */
function systemRefusal(socket: TLSSocket): string | undefined {
  if (socket.isSessionReused()) return 'session reused';
  if (socket.authorized) return undefined;
  // A string, contrary to its type: the code of the verification error.
  const found: unknown = socket.authorizationError;
  return typeof found === 'string' ? found : 'not authorized';
}

/** The chain that the server sent, without the roots added by verification. */
function shownChain(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next && chain.length < CHAIN_LIMIT) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

// Describes TLS errors and alerts in words. OpenSSL versions name an alert differently; only the end of the name is
// stable.

const ALERTS: Readonly<Record<string, string>> = {
  CERTIFICATE_REQUIRED: 'wants a client certificate',
  BAD_CERTIFICATE: 'refused the client certificate',
  CERTIFICATE_UNKNOWN: 'refused the client certificate',
  UNSUPPORTED_CERTIFICATE: 'refused the client certificate',
  CERTIFICATE_REVOKED: 'refused the client certificate as revoked',
  CERTIFICATE_EXPIRED: 'refused the client certificate as expired',
  UNKNOWN_CA: 'refused the client certificate, whose authority it does not know',
  ACCESS_DENIED: 'refused the client certificate',
  DECRYPT_ERROR: 'refused the handshake: a signature of it is wrong',
  PROTOCOL_VERSION: 'offers no TLS 1.2 or later',
  INSUFFICIENT_SECURITY: 'wants a stronger cipher',
  UNRECOGNIZED_NAME: 'does not know the host name',
  NO_APPLICATION_PROTOCOL: 'speaks no HTTP/1.1',
};
const ALERTS_WITHOUT_CERTIFICATE: Readonly<Record<string, string>> = {
  HANDSHAKE_FAILURE: 'refused the handshake; it may want a client certificate',
  BAD_CERTIFICATE: 'wants a client certificate',
};

/** OpenSSL's error codes for a response that is not TLS. */
const NO_TLS =
  /_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST|BAD_RECORD_TYPE|RECORD_LAYER_FAILURE)$/;
const TOO_OLD = /_(?:UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/;

export interface Circumstances {
  /** `host:port`. */
  readonly target: string;
  /** Whether the request has a client certificate. */
  readonly showsCertificate: boolean;
}

/** Describes a failed handshake; `cause` is undefined when the peer just closed the connection. */
function tlsFailure(cause: unknown, circumstances: Circumstances): string {
  const { target, showsCertificate } = circumstances;
  const code = codeOf(cause);
  const alert = alertIn(cause, circumstances);
  if (alert !== undefined) return alert;
  if (code === undefined || code === 'ECONNRESET' || code === 'EPIPE') {
    const hint = showsCertificate ? 'not accept the client certificate' : 'want a client certificate';
    return `${target} closed the connection during the TLS handshake (${code ?? 'ECONNRESET'}); it may ${hint}, or speak no TLS`;
  }
  if (NO_TLS.test(code)) return `${target} speaks no TLS, but the URL says https (${code})`;
  if (TOO_OLD.test(code)) return `${target} offers no TLS 1.2 or later (${code})`;
  return `The TLS handshake with ${target} failed: ${inWords(cause, 'it was not understood')}`;
}

/** Describes a fatal alert; undefined when `cause` is none. In TLS 1.3 an alert may arrive after the handshake. */
export function alertIn(cause: unknown, { target, showsCertificate }: Circumstances): string | undefined {
  const code = codeOf(cause);
  const name = code?.split('_ALERT_')[1];
  if (code === undefined || name === undefined) return undefined;
  const words =
    (showsCertificate ? undefined : ALERTS_WITHOUT_CERTIFICATE[name]) ??
    ALERTS[name] ??
    'refused the TLS connection';
  return `${target} ${words} (${code})`;
}

// Verifies the identity of a server (contract §3.3, TLS). Without pins the system's verdict counts. With pins, only
// they count: either the server's own certificate is a pin, for any host name, and is within its dates; or its chain
// ends at a pinned authority and the host name matches, which the system verifies with no other root.

interface CertificateVerdict {
  readonly pinned: TlsNotes['pinned'];
  /** Why nothing may be sent; undefined when it may be. */
  readonly refusal: string | undefined;
}

interface ShownCertificates {
  /** In the order that the server sent them, its own first. */
  readonly chain: readonly X509Certificate[];
  /** For messages. */
  readonly host: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** `systemRefusal`: why the system rejects them; undefined when it accepts them. */
function judgeCertificates(
  shown: ShownCertificates,
  { pins, systemRefusal }: { pins: readonly X509Certificate[]; systemRefusal: string | undefined },
): CertificateVerdict {
  const { chain, host, now } = shown;
  const [leaf] = chain;
  if (leaf === undefined) return { pinned: null, refusal: `${host} showed no certificate` };
  if (pins.some((pin) => pin.raw.equals(leaf.raw))) {
    return { pinned: 'leaf', refusal: outsideDates(leaf, { now, whose: `The certificate of ${host}` }) };
  }
  if (systemRefusal === undefined) return { pinned: pins.length > 0 ? 'ca' : null, refusal: undefined };
  return { pinned: null, refusal: explain(systemRefusal, shown, pins.length > 0) };
}

/** Pins that can be authorities. Any other pin only matches a server's own certificate. */
export function authoritiesOf(pins: readonly X509Certificate[]): readonly X509Certificate[] {
  return pins.filter((pin) => pin.ca);
}

function explain(code: string, shown: ShownCertificates, hasPins: boolean): string {
  const { host } = shown;
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${host} is for other names (${code})`;
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${datesOf(shown)} (${code})`;
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

function datesOf({ chain, host, now }: ShownCertificates): string {
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
