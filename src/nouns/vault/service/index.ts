import { forBusinessesToo } from '../../entities/service/index.ts';
import type { Handlers, KeysUnder } from '../../handlers.ts';
import type { VaultService } from './operations.ts';

export { readFiles, revealInTurns, transformed } from './files.ts';
export { createVaultService, type VaultActor, type VaultService } from './operations.ts';

/** For users and businesses: the entity of the path determines the allowed identifiers. */
export function vaultHandlers(
  vault: VaultService,
): Handlers<KeysUnder<'/users/{fp_id}/vault' | '/businesses/{fp_bid}/vault'>> {
  return forBusinessesToo({
    'GET /users/{fp_id}/vault': vault.present,
    'PATCH /users/{fp_id}/vault': vault.write,
    'DELETE /users/{fp_id}/vault': vault.remove,
    'POST /users/{fp_id}/vault/validate': vault.validate,
    'POST /users/{fp_id}/vault/decrypt': vault.decrypt,
    'POST /users/{fp_id}/vault/integrity': vault.integrity,
    'POST /users/{fp_id}/vault/{identifier}/upload': vault.upload,
  });
}
