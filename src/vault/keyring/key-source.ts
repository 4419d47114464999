import { resolve } from 'node:path';
import { ServiceError } from '../../kernel/errors.ts';

/** Where the key of a vault may come from. The caller reads the environment; this folder doesn't. */
export interface KeySourceOptions {
  /** The instance's name, part of its keychain account. */
  instance: string;
  dataDirectory: string;
  /** Used when there is no keychain; outside the data directory. */
  defaultKeyFile: string;
  /** --key-file. */
  keyFile?: string | undefined;
  /** --require-keychain: at first start, refuse rather than keep the key in any other place. */
  requireKeychain: boolean;
  environment: {
    /** KYCLONE_VAULT_KEY: 64 hexadecimal characters. */
    key?: string | undefined;
    /** KYCLONE_VAULT_PASSPHRASE: a passphrase, or a recovery code, recognised by its `KYRC-`. */
    passphrase?: string | undefined;
  };
  /** KYCLONE_NO_KEYCHAIN=1. */
  noKeychain?: boolean | undefined;
}

export const NO_KEYCHAIN_PROBLEM = 'KYCLONE_NO_KEYCHAIN is set';

/** The explicit sources, checked for form. Absent is undefined; present but empty is refused, not taken as absent. */
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
