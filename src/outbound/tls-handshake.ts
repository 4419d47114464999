/**
 * Establishes TLS over an open connection and verifies the server. The connection is handed on only afterwards, so that
 * no byte of a request reaches an unverified server, whatever the environment sets for certificate checks.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { judgeCertificates } from './certificates.ts';
import { beforeDeadline } from './deadline.ts';
import { OutboundFailure, type TlsChoices, type TlsNotes } from './outbound.ts';
import { tlsFailure } from './tls-failures.ts';

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

export interface Handshake {
  readonly socket: TLSSocket;
  readonly notes: TlsNotes;
  /** Why nothing may be sent; undefined when it may be. */
  readonly refusal: string | undefined;
}

/** The most certificates that are read from a server. */
const CHAIN_LIMIT = 10;

/** Throws OutboundFailure `unreachable` when the handshake fails, or `timeout`. */
export async function tlsHandshake(
  open: Socket,
  { url, choices, context, now, signal }: HandshakeOptions,
): Promise<Handshake> {
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
    { chain, systemRefusal: systemRefusal(socket) },
    { pins: choices.pins, host: url.hostname, now },
  );
  return {
    socket,
    notes: {
      version: socket.getProtocol(),
      pinned: verdict.refusal === undefined ? verdict.pinned : null,
      chain: chain.map(({ subject }) => subject.replaceAll('\n', ', ')),
    },
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
      const message = tlsFailure(cause, {
        target: nameOf(url),
        showsCertificate: choices.client !== undefined,
      });
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
