/**
 * The key for exported snapshots: from the environment, as in pipelines, or from a file of the user, created when it is
 * first needed. It is never stored with a snapshot.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';
import { parseKey } from './key-source.ts';

export interface SnapshotKeySource {
  /** KYCLONE_SNAPSHOT_KEY: 64 hexadecimal characters. */
  readonly environment: string | undefined;
  readonly file: string;
  /** The folder that must not contain the key file. */
  readonly dataDirectory: string | undefined;
}

const VARIABLE = 'KYCLONE_SNAPSHOT_KEY';
const WHAT = 'snapshot key';

/** The key for an exported snapshot. The caller overwrites it. Throws `vault_key_invalid`, `key_file_refused`. */
export function sealingSnapshotKey({ environment, file, dataDirectory }: SnapshotKeySource): Uint8Array {
  if (environment !== undefined) return parseKey(environment, VARIABLE);
  return readOrCreateKeyFile({ path: file, dataDirectory, what: WHAT }).key;
}

/**
 * Calls `open` with the key for a snapshot of another vault, and overwrites it afterwards. Throws `vault_key_invalid`
 * when there is no key, or when `open` rejects it; the error names the source of the key.
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
