export { vaultProxyHandlers } from './handlers.ts';
export { createVaultProxy, type VaultProxy } from './service.ts';
