import type { RequestOf } from '../../src/contract/registry.ts';
import { startService, type LooseParts, type Refused, type TestService } from './service.ts';

type Values = Record<string, unknown>;

/** The calls about one user's vault. Each takes only the arguments that matter for a test. */
export function vaultOf(service: TestService, fp_id: string, as?: string) {
  const on = { params: { fp_id }, ...(as !== undefined && { as }) };
  const DECRYPT = 'POST /users/{fp_id}/vault/decrypt';
  return {
    /** Writes values and returns the new vault version. */
    async write(body: Values): Promise<number | undefined> {
      return (await service.call('PATCH /users/{fp_id}/vault', { ...on, body })).version;
    },
    async delete(body: { fields?: string[]; delete_all?: boolean; purge?: boolean }) {
      const { body: values, version } = await service.call('DELETE /users/{fp_id}/vault', { ...on, body });
      return { values, version };
    },
    async decrypt(
      fields: string[],
      more: { reason?: string; transforms?: string[]; version_at?: string } = {},
    ) {
      return (await service.call(DECRYPT, { ...on, body: { fields, reason: 'a test', ...more } })).body;
    },
    async decryptAsOf(version: number, fields: string[]) {
      const headers = { 'x-fp-vault-version': String(version) };
      return await service.call(DECRYPT, { ...on, headers, body: { fields, reason: 'a test' } });
    },
    async present(fields?: string[]) {
      const query = { fields: fields?.join(',') };
      return (await service.call('GET /users/{fp_id}/vault', { ...on, query })).body;
    },
    refusedWrite: (body: unknown): Promise<Refused> =>
      service.refused('PATCH /users/{fp_id}/vault', { ...on, body }),
    refusedDelete: (body: unknown): Promise<Refused> =>
      service.refused('DELETE /users/{fp_id}/vault', { ...on, body }),
    refusedDecrypt: (body: Values, headers: LooseParts['headers'] = {}): Promise<Refused> =>
      service.refused(DECRYPT, { ...on, headers, body: { reason: 'a test', ...body } }),
  };
}

/** The calls about the client tokens of one user. */
export function tokensOf(service: TestService, fp_id: string) {
  const params = { fp_id };
  const on = (as?: string) => ({ params, ...(as !== undefined && { as }) });
  const MINT = 'POST /users/{fp_id}/client_token';
  return {
    mint: async (body: Values, as?: string) => (await service.call(MINT, { ...on(as), body })).body,
    refusedMint: (body: Values, as?: string): Promise<Refused> => service.refused(MINT, { ...on(as), body }),
    /** Returns what the API says about a token. */
    describeToken: async (as: string) => (await service.call('GET /users/client_token', { as })).body,
    /** Returns the records of the user's tokens, newest first. */
    list: async () => (await service.call('GET /_kyclone/entities/{fp_id}', { params })).body.tokens,
  };
}

/** A service with a user, and the calls about the client tokens of that user. */
export async function aTokenUser(data?: Values) {
  const service = await startService();
  const fp_id = await service.user(data);
  const dispose = () => service[Symbol.asyncDispose]();
  return { service, fp_id, ...tokensOf(service, fp_id), [Symbol.asyncDispose]: dispose };
}

/** The calls with a client token, about the vault of the token's entity. */
export function tokenVault(service: TestService, as: string) {
  const DECRYPT = 'POST /users/vault/decrypt';
  return {
    /** Writes values and returns the new vault version. */
    async write(body: Values): Promise<number | undefined> {
      return (await service.call('PATCH /users/vault', { as, body })).version;
    },
    validate: (body: Values) => service.call('POST /users/vault/validate', { as, body }),
    decrypt: (body: Values, headers: LooseParts['headers'] = {}) =>
      service.call(DECRYPT, { as, headers, body: { reason: 'a test', ...body } }),
    refusedWrite: (body: Values): Promise<Refused> => service.refused('PATCH /users/vault', { as, body }),
    refusedValidate: (body: Values): Promise<Refused> =>
      service.refused('POST /users/vault/validate', { as, body }),
    refusedDecrypt: (body: Values, headers: LooseParts['headers'] = {}): Promise<Refused> =>
      service.refused(DECRYPT, { as, headers, body: { reason: 'a test', ...body } }),
  };
}

/** Makes a user and a token of that user. Returns the calls about the vault, with the key and with the token. */
export async function aTokenOf(data: Values, minting: Values) {
  const service = await startService();
  const fp_id = await service.user(data);
  const token = await service.token(fp_id, minting);
  const [{ id: tokenId } = { id: '' }] = await tokensOf(service, fp_id).list();
  return {
    service,
    fp_id,
    tokenId,
    own: vaultOf(service, fp_id),
    ...tokenVault(service, token),
    as: token,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Returns the users who share data with this one, in the order of the list. */
export async function duplicatesOf(
  service: TestService,
  fp_id: string,
  query: RequestOf<'GET /users/{fp_id}/duplicates'>['query'] = {},
  as?: string,
) {
  return (await service.call('GET /users/{fp_id}/duplicates', { params: { fp_id }, query, as })).body;
}

/** Returns the same as `[other, kind]`. */
export async function matchesOf(...asked: Parameters<typeof duplicatesOf>) {
  return (await duplicatesOf(...asked)).map(({ fp_id, kind }) => [fp_id, kind]);
}

/** Returns the access log, newest first. */
export async function accessLog(service: TestService) {
  return (await service.call('GET /_kyclone/access-log')).body.data;
}
