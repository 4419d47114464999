/** Where a vault's key may come from, and the key for exported snapshots. */
import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';
import { readKeyFile, readOrCreateKeyFile } from './key-file.ts';

/** Possible sources of a vault's key. The caller reads the environment, not this folder. */
export interface KeySourceOptions {
  /** The instance's name, part of its keychain account. */
  instance: string;
  dataDirectory: string;
  /** Used without a keychain; outside the data directory. */
  defaultKeyFile: string;
  /** --key-file. */
  keyFile?: string | undefined;
  /** --require-keychain: at the first start, fail rather than store the key anywhere else. */
  requireKeychain: boolean;
  environment: {
    /** KYCLONE_VAULT_KEY: 64 hexadecimal characters. */
    key?: string | undefined;
    /** KYCLONE_VAULT_PASSPHRASE: a passphrase, or a recovery code, which begins with `KYRC-`. */
    passphrase?: string | undefined;
  };
  /** KYCLONE_NO_KEYCHAIN=1. */
  noKeychain?: boolean | undefined;
}

export const NO_KEYCHAIN_PROBLEM = 'KYCLONE_NO_KEYCHAIN is set';

/** The explicit sources, checked for form. An absent one is undefined; an empty one is refused. */
export interface GivenSources {
  keyFile: string | undefined;
  key: Uint8Array | undefined;
  passphrase: string | undefined;
}

/** Throws `vault_key_invalid` when a source is malformed. */
export function givenSources({ keyFile, environment }: KeySourceOptions): GivenSources {
  if (environment.passphrase === '') {
    throw new ServiceError('vault_key_invalid', 'KYCLONE_VAULT_PASSPHRASE is empty: set it or unset it');
  }
  return {
    keyFile: keyFile === undefined ? undefined : resolve(keyFile),
    key: environment.key === undefined ? undefined : parseKey(environment.key, 'KYCLONE_VAULT_KEY'),
    passphrase: environment.passphrase,
  };
}

/** Throws `vault_key_invalid`, naming the variable. */
function parseKey(hex: string, variable: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new ServiceError(
      'vault_key_invalid',
      `${variable} must be exactly 64 hexadecimal characters; \`openssl rand -hex 32\` makes a key`,
    );
  }
  return Buffer.from(hex, 'hex');
}

// The key for exported snapshots: from the environment, as in pipelines, or from a file of the user, created when it is
// first needed. It is never stored with a snapshot.

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
