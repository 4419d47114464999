import type { AnswerOf, RequestOf } from '../contract/registry.ts';
import type { Client } from './client.ts';

export type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;

/** The masked view of an entity with all identifiers of its vault, page after page. */
export async function readInspection(
  client: Pick<Client, 'call'>,
  fp_id: string,
  query: Pick<RequestOf<'GET /_kyclone/entities/{fp_id}'>['query'], 'tenant' | 'environment'>,
): Promise<Inspection> {
  const read = (vault_cursor?: string) =>
    client.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id }, query: { ...query, vault_cursor } });
  const first = await read();
  const vault = [...first.vault];
  // An older daemon has no such member.
  for (let next = first.vault_next; typeof next === 'string';) {
    const page = await read(next);
    vault.push(...page.vault);
    next = page.vault_next;
  }
  return { ...first, vault, vault_next: null };
}
