import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';

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
export function parseKey(hex: string, variable: string): Uint8Array {
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new ServiceError(
      'vault_key_invalid',
      `${variable} must be exactly 64 hexadecimal characters; \`openssl rand -hex 32\` makes a key`,
    );
  }
  return Buffer.from(hex, 'hex');
}
