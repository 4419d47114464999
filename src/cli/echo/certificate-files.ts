/**
 * The sink's certificates as files, for their owner alone (0600), as long as the sink runs. A folder of our own is made
 * private (0700) and goes with them; of one that the user named, only what was written here goes.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../kernel/private-folder.ts';
import { UsageError } from '../shell/failure.ts';
import type { Echo } from './sink.ts';

const CA = 'ca.pem';
const SERVER = 'server.pem';
const CLIENT = 'client.pem';
const CLIENT_KEY = 'client-key.pem';

/** Every name that a file of ours can have. */
export const FILE_NAMES: readonly string[] = [CA, SERVER, CLIENT, CLIENT_KEY];

export interface CertificateFiles {
  /** Absolute paths. */
  readonly authority: string;
  readonly server: string;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
  remove(): void;
}

/** Where the files go: a folder that is ours and can be begun anew, or one that the user named. */
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
  // Of an earlier process with our number that had no time to remove it.
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
