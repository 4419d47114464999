/**
 * The sink's certificates as files, for their owner alone (0600), as long as the sink runs. A folder of our own is made
 * private (0700) and goes with them; of one that the user named, only what was written here goes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../failure.ts';
import type { Echo } from './sink.ts';

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

/** Throws UsageError when one of the files is there already, or the folder can't be written to; none is left then. */
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
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return {
      authority: write('ca.pem', authority),
      server: write('server.pem', serverCertificate),
      client: client && {
        certificate: write('client.pem', client.certificate),
        key: write('client-key.pem', client.key),
      },
      remove,
    };
  } catch (error) {
    remove();
    throw folder.isOurs ? error : refusalOf(error as NodeJS.ErrnoException);
  }
}

function refusalOf({ code = 'failed' }: NodeJS.ErrnoException): UsageError {
  return code === 'EEXIST'
    ? new UsageError('The folder of --out has a file of such a name already; nothing was written')
    : new UsageError(`The folder of --out cannot be written to (${code})`);
}
