/**
 * Finds the user with an e-mail address or phone number (contract §14). Whoever asks learns whether there is one, so each
 * look-up is in the access log.
 */
import type { Database } from '../../../storage/database.ts';
import type { VaultReads } from '../../../vault/vault.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { findEntityByRow, type EntityRow } from '../../entities/service/index.ts';

export interface Contact {
  readonly identifier: 'id.email' | 'id.phone_number';
  readonly value: string;
}

/** The first user of the tenant and environment whose vault has it. The caller has recorded the look-up. */
export function findByContact(
  vault: VaultReads,
  database: Database,
  space: Space,
  { identifier, value }: Contact,
): EntityRow | undefined {
  const { found } = vault.search(database, space, value);
  for (const row of [...found].sort((a, b) => a - b)) {
    const entity = findEntityByRow(database, row);
    if (entity?.kind !== 'user') continue;
    const stored = storedText(vault, database, entity, identifier);
    if (stored !== undefined && comparable(stored) === comparable(value)) return entity;
  }
  return undefined;
}

/** The current text in the vault; undefined when it is absent, or no text. */
export function storedText(
  vault: VaultReads,
  database: Database,
  entity: EntityRow,
  identifier: string,
): string | undefined {
  const references = [{ text: identifier, identifier, version: undefined }];
  const value = vault.reveal(database, entity, { references, version: entity.vault_version }).get(identifier);
  return typeof value === 'string' ? value : undefined;
}

/** Equal for different spellings of the same e-mail address or phone number. */
export function comparable(text: string): string {
  return text.includes('@') ? text.trim().toLowerCase() : text.replace(/[\s().-]/g, '');
}
