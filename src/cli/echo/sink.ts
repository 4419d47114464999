/**
 * A server that answers what it gets, over HTTP and over HTTPS, on 127.0.0.1 alone. It writes nothing: certificates and
 * requests are handed to the caller, and a run leaves nothing open when it is closed. What it is sent may be what a vault
 * gave out, so it belongs in no log.
 */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../../kernel/clock.ts';
import { answerTo } from './answers.ts';
import type { Identity } from './authority.ts';
import { bind, closable, HOST, serving, type Listeners } from './loopback-server.ts';

export interface EchoOptions extends Listeners {
  /** Whether the HTTPS server wants a certificate of its own authority, and talks to nobody without one. */
  readonly mutualTls?: boolean;
  /** Free ones unless given. */
  readonly ports?: { readonly http?: number | undefined; readonly https?: number | undefined };
  /** Called for a client that got no further than the TLS handshake. */
  readonly onTlsFailure?: (reason: string) => void;
}

export interface Echo {
  readonly httpUrl: string;
  readonly httpsUrl: string;
  /** PEM; trusting it is trusting the HTTPS server. */
  readonly authority: string;
  /** PEM; for pinning. */
  readonly serverCertificate: string;
  /** With `mutualTls`: what a client shows. */
  readonly client: Identity | undefined;
  /** Ends it, with whatever is still being answered. */
  close(): Promise<void>;
}

/** Starts both servers. Throws CliError `port_taken`. */
export async function startEcho(options: EchoOptions = {}): Promise<Echo> {
  const { mutualTls = false, ports = {} } = options;
  // The certificates take a library that nothing else of the CLI needs.
  const { createAuthority } = await import('./authority.ts');
  const authority = await createAuthority('kyclone echo authority', systemClock.now());
  const server = await authority.issue({
    subject: 'kyclone echo',
    names: ['localhost', HOST],
    usage: 'server',
  });
  const client = mutualTls
    ? await authority.issue({ subject: 'kyclone echo client', usage: 'client' })
    : undefined;
  const serve = serving(answerTo, options);
  const http = createServer(serve);
  const https = createTlsServer(
    {
      cert: server.certificate,
      key: server.key,
      ...(mutualTls && { ca: authority.certificate, requestCert: true, rejectUnauthorized: true }),
    },
    serve,
  );
  https.on('tlsClientError', (error, socket) => options.onTlsFailure?.(tlsFailure(error, socket)));
  const servers = [closable(http), closable(https)];
  const close = async () => {
    await Promise.all(servers.map((each) => each.close()));
  };
  try {
    return {
      httpUrl: `http://${HOST}:${await bind(http, { port: ports.http, flag: '--port' })}`,
      httpsUrl: `https://${HOST}:${await bind(https, { port: ports.https, flag: '--tls-port' })}`,
      authority: authority.certificate,
      serverCertificate: server.certificate,
      client,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const TLS_FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the client broke off',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the client showed no certificate',
  ERR_SSL_HTTP_REQUEST: 'the client spoke plain HTTP',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'the client does not trust the certificate of the server',
};

function tlsFailure(error: Error, socket: TLSSocket): string {
  // Declared as an Error; what is there is the code of one.
  const refusal = socket.authorizationError as unknown as string | null | undefined;
  if (refusal) return `the certificate of the client was refused (${refusal})`;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return TLS_FAILURES[code] ?? `code ${code}`;
}
