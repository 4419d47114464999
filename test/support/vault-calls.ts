import type { LooseParts, Refused, TestService } from './service.ts';

type Values = Record<string, unknown>;

/** The calls about one user's vault, each with no more than what it is about. */
export function vaultOf(service: TestService, fp_id: string, as?: string) {
  const on = { params: { fp_id }, ...(as !== undefined && { as }) };
  const DECRYPT = 'POST /users/{fp_id}/vault/decrypt';
  return {
    /** The version after. */
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
