/**
 * The key for snapshots that leave an instance: given in the environment, as pipelines do, else in a file of the user,
 * made when it is first needed. It is nowhere near a snapshot.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';
import { parseKey } from './key-source.ts';

export interface SnapshotKeySource {
  /** KYCLONE_SNAPSHOT_KEY: 64 hexadecimal characters. */
  readonly environment: string | undefined;
  readonly file: string;
  /** Where the key file must not be. */
  readonly dataDirectory: string | undefined;
}

const VARIABLE = 'KYCLONE_SNAPSHOT_KEY';
const WHAT = 'snapshot key';

/** For a snapshot that leaves. The caller overwrites it. Throws `vault_key_invalid`, `key_file_refused`. */
export function sealingSnapshotKey({ environment, file, dataDirectory }: SnapshotKeySource): Uint8Array {
  if (environment !== undefined) return parseKey(environment, VARIABLE);
  return readOrCreateKeyFile({ path: file, dataDirectory, what: WHAT }).key;
}

/**
 * Calls `open` with the key that is to open a snapshot of another vault, and overwrites it. Throws `vault_key_invalid`
 * when there is none or `open` says that it is not the one; the error names where the key came from.
 */
export function withOpeningSnapshotKey(source: SnapshotKeySource, open: (key: Uint8Array) => boolean): void {
  const { environment, file, dataDirectory } = source;
  const key =
    environment === undefined
      ? readKeyFile({ path: file, dataDirectory, what: WHAT })
      : parseKey(environment, VARIABLE);
  if (!key) {
    throw new ServiceError(
      'vault_key_invalid',
      `The snapshot is of another vault, and there is no key to open it: neither ${VARIABLE} nor the file ${file}`,
    );
  }
  try {
    if (open(key)) return;
  } finally {
    key.fill(0);
  }
  const tried = environment === undefined ? `The key in the file ${file}` : `The key in ${VARIABLE}`;
  throw new ServiceError(
    'vault_key_invalid',
    `${tried} does not open the snapshot: give the key of where it was made in ${VARIABLE}`,
  );
}
