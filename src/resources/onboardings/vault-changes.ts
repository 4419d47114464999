/**
 * The effects of a vault change in its write job: the event vault.updated, and the end of a step-up that waited for an
 * image (contract §4.5, §9.2). A vault calls this, so it only reads vaults.
 */
import type { VaultListener, VaultReads } from '../../vault/vault.ts';
import { findEntityByRow } from '../entities/index.ts';
import type { Events } from '../webhooks/index.ts';
import { endsStepUp } from './document-images.ts';
import { listStepUps } from './repository.ts';
import type { StatusChanges } from './status-changes.ts';
import { DOCUMENT_ARRIVED } from './transitions.ts';

export function createVaultChanges(context: {
  readonly vault: VaultReads;
  readonly events: Events;
  readonly changes: StatusChanges;
}): VaultListener['changed'] {
  const { vault, events, changes } = context;
  return (database, { id }, { identifiers, version, source }) => {
    const entity = findEntityByRow(database, id);
    if (!entity) throw new Error('the vault of an entity that is not there was changed');
    const { fp_id, external_id } = entity;
    const members = { fields: identifiers, source, external_id };
    events.emit(database, entity, { kind: 'vault.updated', fp_id, members });
    const images = identifiers.filter(endsStepUp);
    if (images.length === 0 || vault.present(database, entity, version, images).length === 0) return;
    for (const row of listStepUps(database, id)) changes.apply(database, row, DOCUMENT_ARRIVED);
  };
}
