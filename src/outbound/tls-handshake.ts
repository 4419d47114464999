/**
 * TLS over a connection that is open, finished and judged before it is handed on: nothing of a request is written to a
 * server that wasn't proven to be the one that is meant, whatever the environment says of rejecting certificates.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { judgeCertificates } from './certificates.ts';
import { beforeDeadline } from './deadline.ts';
import { OutboundFailure, type TlsChoices, type TlsNotes } from './outbound.ts';
import { bareHost, nameOf } from './target.ts';
import { tlsFailure } from './tls-failures.ts';

export interface Handshake {
  readonly socket: TLSSocket;
  readonly notes: TlsNotes;
  /** Why nothing may be sent; undefined when it may. */
  readonly refusal: string | undefined;
}

/** What a server could show at most. */
const CHAIN_LIMIT = 10;

/** Throws OutboundFailure `unreachable` when there is no TLS to speak of, or `timeout`. */
export async function tlsHandshake(
  open: Socket,
  { url, choices, context, now, signal }: HandshakeOptions,
): Promise<Handshake> {
  const host = bareHost(url);
  const socket = connect({
    socket: open,
    secureContext: context,
    // For the check of the name; nothing is looked up, the socket is there already.
    host,
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // The verdict is read below, before anything is written: so the notes can say what was shown, and a pinned
    // certificate may be signed by anybody.
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
    // Stays for the life of the socket: one without a listener would end the process.
    socket.on('error', fail);
    socket.once('close', () => fail());
  });
}

/** A resumed session would not have been verified; none is ever offered. */
function systemRefusal(socket: TLSSocket): string | undefined {
  if (socket.isSessionReused()) return 'session reused';
  if (socket.authorized) return undefined;
  // A string, whatever its type says: the code of what the verification found.
  const found: unknown = socket.authorizationError;
  return typeof found === 'string' ? found : 'not authorized';
}

/** What the server sent, not what the roots add to it. */
function shownChain(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next && chain.length < CHAIN_LIMIT) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}
