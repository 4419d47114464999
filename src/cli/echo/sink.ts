/**
 * A server on 127.0.0.1 only that returns what it gets, over HTTP and HTTPS, and its certificates as files. The
 * server writes nothing, and a closed run leaves nothing open. Requests may contain values from a vault, so nothing
 * of them is logged.
 *
 * The certificate files are readable by their owner only (0600) and exist as long as the sink runs. A folder of our
 * own is private (0700) and is removed with them. In a folder that the user named, only these files are removed.
 */
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../kernel/time/clock.ts';
import { answerTo } from './answers.ts';
import type { Identity } from './authority.ts';
import { bind, closable, HOST, serving, type Listeners } from './server.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { whyRefused } from '../../kernel/system-failure.ts';
import { makeFolder } from '../../kernel/files/private-folder.ts';
import { UsageError } from '../shell/failure.ts';

export interface EchoOptions extends Listeners {
  /** Whether the HTTPS server requires a client certificate of its own authority. */
  readonly mutualTls?: boolean;
  /** Free ports by default. */
  readonly ports?: { readonly http?: number | undefined; readonly https?: number | undefined };
  readonly onTlsFailure?: (reason: string) => void;
}

export interface Echo {
  readonly httpUrl: string;
  readonly httpsUrl: string;
  /** PEM; a client that trusts it trusts the HTTPS server. */
  readonly authority: string;
  /** PEM; for pinning. */
  readonly serverCertificate: string;
  /** With `mutualTls`: the certificate and key for a client. */
  readonly client: Identity | undefined;
  /** Stops the server, including responses in progress. */
  close(): Promise<void>;
}

/** Starts both servers. Throws CliError `port_taken`. */
export async function startEcho(options: EchoOptions = {}): Promise<Echo> {
  const { mutualTls = false, ports = {} } = options;
  // The certificates need a library that nothing else of the CLI uses.
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
  ECONNRESET: 'the client broke the connection',
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: 'the client showed no certificate',
  ERR_SSL_HTTP_REQUEST: 'the client spoke plain HTTP',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'the client does not trust the certificate of the server',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'the client does not trust the certificate of the server',
};

function tlsFailure(error: Error, socket: TLSSocket): string {
  // Declared as an Error, but really its code.
  const refusal = socket.authorizationError as unknown as string | null | undefined;
  if (refusal) return `the certificate of the client was refused (${refusal})`;
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return TLS_FAILURES[code] ?? `code ${code}`;
}

const CA = 'ca.pem';
const SERVER = 'server.pem';
const CLIENT = 'client.pem';
const CLIENT_KEY = 'client-key.pem';

export const FILE_NAMES: readonly string[] = [CA, SERVER, CLIENT, CLIENT_KEY];

export interface CertificateFiles {
  /** Absolute paths. */
  readonly authority: string;
  readonly server: string;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
  remove(): void;
}

/**
 * `folder` is our own, which may be emptied, or one that the user named. Throws UsageError if one of the files exists
 * already, or the folder can't be created or written to. No file is left then.
 */
export function writeCertificates(
  { authority, serverCertificate, client }: Pick<Echo, 'authority' | 'serverCertificate' | 'client'>,
  folder: { readonly path: string; readonly isOurs: boolean },
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
  // An earlier process with our pid left its folder behind.
  if (folder.isOurs) remove();
  try {
    makeFolder(directory);
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.message);
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

function refusalOfFolder(path: string, error: NodeJS.ErrnoException): UsageError {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTDIR') {
    return new UsageError(`The folder of --out cannot be created: ${whyRefused(error)}`);
  }
  return existsSync(path)
    ? new UsageError('--out is a file; name a folder')
    : new UsageError('Something in the path of --out is not a folder');
}

function refusalOfFiles({ code = 'failed' }: NodeJS.ErrnoException): UsageError {
  return code === 'EEXIST'
    ? new UsageError(
        'The folder of --out has a file with this name already; nothing was written',
        `an echo that was killed leaves its files there: ${FILE_NAMES.join(', ')}`,
      )
    : new UsageError(`The folder of --out cannot be written to (${code})`);
}
