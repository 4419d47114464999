import { callJson } from './request.ts';

export interface VaultClientOptions {
  /** Where the service listens, such as `http://127.0.0.1:4630`. */
  readonly baseUrl: string;
  /** A client token, minted by your server with its secret key. The key itself never belongs in a page. */
  readonly token: string;
  /** Replaces the browser's own. */
  readonly fetch?: typeof fetch;
}

export interface DecryptOptions {
  /** Defaults to all identifiers of the token. */
  readonly fields?: readonly string[];
  /** Required unless the token carries one. */
  readonly reason?: string;
  readonly transforms?: readonly string[];
}

/** Operations of a client token, as far as its scope permits. Every call throws VaultError. */
export interface VaultClient {
  /** Stores all values or none; null deletes a value. */
  write(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Checks values as `write` would, without storing them. */
  validate(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Identifier to value: null for a missing value, base64 for files. */
  decrypt(options?: DecryptOptions): Promise<Record<string, unknown>>;
  /** Stores the bytes under the file's own content type. */
  upload(identifier: string, file: Blob): Promise<void>;
}

/** Calls the token endpoints of a kyclone, or of the service it emulates, from a page. */
export function vaultClient(options: VaultClientOptions): VaultClient {
  return {
    async write(values) {
      await callJson(options, { method: 'PATCH', path: '/users/vault', body: values });
    },
    async validate(values) {
      await callJson(options, { method: 'POST', path: '/users/vault/validate', body: values });
    },
    async decrypt({ fields, reason, transforms } = {}) {
      const call = {
        method: 'POST',
        path: '/users/vault/decrypt',
        body: { fields, reason, transforms },
      } as const;
      return (await callJson(options, call)) as Record<string, unknown>;
    },
    async upload(identifier, file) {
      const path = `/users/vault/${encodeURIComponent(identifier)}/upload`;
      await callJson(options, { method: 'POST', path, body: file });
    },
  };
}
