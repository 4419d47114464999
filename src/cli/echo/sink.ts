/**
 * A server that answers what it gets, over HTTP and over HTTPS, on 127.0.0.1 alone, and its certificates as files. The
 * server writes nothing, and a run leaves nothing open when it is closed. What it is sent may be what a vault gave
 * out, so it belongs in no log.
 *
 * The certificate files are for their owner alone (0600) and exist as long as the sink runs. A folder of our own is
 * made private (0700) and is removed with them; from a folder that the user named, only these files are removed.
 */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { answerTo } from './answers.ts';
import type { Identity } from './authority.ts';
import { bind, closable, HOST, serving, type Listeners } from './server.ts';
import { makeFolder } from '../../kernel/private-folder.ts';
import { UsageError } from '../shell/failure.ts';

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

const CA = 'ca.pem';
const SERVER = 'server.pem';
const CLIENT = 'client.pem';
const CLIENT_KEY = 'client-key.pem';

/** Every name that one of our files can have. */
export const FILE_NAMES: readonly string[] = [CA, SERVER, CLIENT, CLIENT_KEY];

export interface CertificateFiles {
  /** Absolute paths. */
  readonly authority: string;
  readonly server: string;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
  remove(): void;
}

/** Where the files go: our own folder, which can be emptied, or one that the user named. */
export interface CertificateFolder {
  readonly path: string;
  readonly isOurs: boolean;
}

/**
 * Throws UsageError when one of the files is there already, or the folder can't be made or written to; no file is left
 * then.
 */
export function writeCertificates(
  { authority, serverCertificate, client }: Pick<Echo, 'authority' | 'serverCertificate' | 'client'>,
  folder: CertificateFolder,
): CertificateFiles {
  const directory = resolve(folder.path);
  const written: string[] = [];
  const remove = () => {
    for (const path of folder.isOurs ? [directory] : written) rmSync(path, { recursive: true, force: true });
  };
  const write = (name: string, pem: string) => {
    const path = join(directory, name);
    writeFileSync(path, pem, { mode: 0o600, flag: 'wx' });
    written.push(path);
    return path;
  };
  // The folder of an earlier process with our number that had no time to remove it.
  if (folder.isOurs) remove();
  try {
    makeFolder(directory);
  } catch (error) {
    throw folder.isOurs ? error : refusalOfFolder(directory, error as NodeJS.ErrnoException);
  }
  try {
    return {
      authority: write(CA, authority),
      server: write(SERVER, serverCertificate),
      client: client && {
        certificate: write(CLIENT, client.certificate),
        key: write(CLIENT_KEY, client.key),
      },
      remove,
    };
  } catch (error) {
    remove();
    throw folder.isOurs ? error : refusalOfFiles(error as NodeJS.ErrnoException);
  }
}

function refusalOfFolder(path: string, { code = 'failed' }: NodeJS.ErrnoException): UsageError {
  if (code !== 'EEXIST' && code !== 'ENOTDIR') {
    return new UsageError(`The folder of --out cannot be made (${code})`);
  }
  return existsSync(path)
    ? new UsageError('--out is a file; a folder is to be named')
    : new UsageError('Something in the path of --out is no folder');
}

function refusalOfFiles({ code = 'failed' }: NodeJS.ErrnoException): UsageError {
  return code === 'EEXIST'
    ? new UsageError(
        'The folder of --out has a file of such a name already; nothing was written',
        `an echo that was killed leaves its files there: ${FILE_NAMES.join(', ')}`,
      )
    : new UsageError(`The folder of --out cannot be written to (${code})`);
}
