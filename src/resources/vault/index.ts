export { denial } from './denial.ts';
export { readWhole } from './files.ts';
export { vaultHandlers } from './handlers.ts';
export { createVaultService, type VaultActor, type VaultService } from './service.ts';
