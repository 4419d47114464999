import type { RequestOf } from '../../contract/registry.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { Vault } from '../../vault/vault.ts';
import { spaceOf } from '../api-keys/index.ts';
import { getEntity } from '../entities/index.ts';
import type { Labels } from '../labels/index.ts';

type Change = Pick<RequestOf<'PATCH /_kyclone/entities/{fp_id}'>, 'query' | 'body'>;

/** Sets the device attributes of an entity, and its label (contract §6, §11). All or nothing. */
export async function changeAttributes(
  context: { queue: WriteQueue; vault: Vault; labels: Labels },
  fpId: string,
  { query, body: { label, ...attributes } }: Change,
): Promise<void> {
  const { queue, vault, labels } = context;
  await queue.write((database) => {
    const entity = getEntity(database, spaceOf(database, query), fpId);
    if (Object.keys(attributes).length > 0) vault.setAttributes(database, entity, attributes);
    if (label !== undefined) labels.writeLabel(database, entity, label);
  });
}
