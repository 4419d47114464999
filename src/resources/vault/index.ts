export { vaultHandlers } from './handlers.ts';
export { createVaultService, type VaultService } from './service.ts';
