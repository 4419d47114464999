export { readFiles } from './files.ts';
export { vaultHandlers } from './handlers.ts';
export { revealInTurns } from './reading-in-turns.ts';
export { createVaultService, type VaultActor, type VaultService } from './service.ts';
